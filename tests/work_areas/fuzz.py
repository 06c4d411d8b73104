"""`python -m tests.work_areas.fuzz --count N`: random programs with work areas behind pointers."""

from __future__ import annotations

import sys

from tests.filters.fuzz import main
from tests.work_areas.generator import program

if __name__ == "__main__":
    sys.exit(main(program, strict_fp=False, said=__doc__ or ""))
