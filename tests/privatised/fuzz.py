"""`python -m tests.privatised.fuzz --count N`: random programs whose functions have buffers and tallies."""

from __future__ import annotations

import sys

from tests.filters.fuzz import main
from tests.privatised.generator import program

if __name__ == "__main__":
    sys.exit(main(program, strict_fp=False, said=__doc__ or ""))
