"""`python -m tests.later.fuzz --count N`: random loops that append to what grows, print, and fill tables."""

from __future__ import annotations

import sys

from tests.filters.fuzz import main
from tests.later.generator import program

if __name__ == "__main__":
    sys.exit(main(program, strict_fp=False, said=__doc__ or ""))
