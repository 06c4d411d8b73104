"""`python -m tests.pointers.fuzz`: points-to analysis against the execution of random programs."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.pointers import nested
from tests.pointers.check import Result, check
from tests.pointers.generator import Writer


def checked(seed: int, folder: Path, *, inside: bool = False) -> Result:
    """Writes and checks the program of a seed; `inside`: one of structures in structures."""
    source = folder / f"p{seed}.c"
    source.write_text(nested.program(seed) if inside else Writer(seed).program())
    return check(source)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="programs [default: 200]")
    parser.add_argument("--first", type=int, default=0, help="the first seed [default: 0]")
    parser.add_argument("--nested", action="store_true", help="of structures in structures")
    options = parser.parse_args()
    pairs = apart = starts = wrong = 0
    with tempfile.TemporaryDirectory(prefix="pointers-") as folder:
        for seed in range(options.first, options.first + options.count):
            result = checked(seed, Path(folder), inside=options.nested)
            pairs, apart, starts = pairs + result.pairs, apart + result.apart, starts + result.starts
            wrong += len(result.wrong)
            print(*result.wrong, sep="\n", end="\n" if result.wrong else "", flush=True)
    print(f"{options.count} programs: {apart} of {pairs} pairs apart, {starts} starts, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
