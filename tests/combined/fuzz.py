"""`python -m tests.combined.fuzz --count N`: random sums into arrays and random extremes, on all targets."""

from __future__ import annotations

import sys

from tests.combined.generator import program
from tests.filters.fuzz import main

if __name__ == "__main__":
    sys.exit(main(program, strict_fp=False, said=__doc__ or ""))
