"""`python -m tests.stages.fuzz --count N`: random serial loops with parallel parts."""

from __future__ import annotations

import sys

from tests.filters.fuzz import main
from tests.stages.generator import program

if __name__ == "__main__":
    sys.exit(main(program, strict_fp=False, said=__doc__ or ""))
