"""`python -m tests.work_areas.fuzz --count N`: random programs with work areas behind pointers."""

from __future__ import annotations

import sys

from tests.filters.fuzz import main
from tests.work_areas import generator, transforms


def program(seed: int) -> str:
    """Of the two kinds in turns."""
    return (transforms if seed % 3 == 0 else generator).program(seed)


if __name__ == "__main__":
    sys.exit(main(program, strict_fp=False, said=__doc__ or ""))
