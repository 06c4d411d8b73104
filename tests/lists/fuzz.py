"""`python -m tests.lists.fuzz --count N`: random loops along lists."""

from __future__ import annotations

import sys

from tests.filters.fuzz import main
from tests.lists.generator import program

if __name__ == "__main__":
    sys.exit(main(program, strict_fp=False, said=__doc__ or ""))
