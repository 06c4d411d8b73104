"""`python -m tests.sums.fuzz --count N`: random loops that add up in members of structures."""

from __future__ import annotations

import sys

from tests.filters.fuzz import main
from tests.sums.generator import program

if __name__ == "__main__":
    sys.exit(main(program, strict_fp=False, said=__doc__ or ""))
