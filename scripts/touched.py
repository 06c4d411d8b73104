#!/usr/bin/env python3
"""The tests of what a change touches: `make check` runs them.

    python scripts/touched.py [BASE]

Prints the folders of tests/ for the files that differ from BASE (a commit) or are new; without BASE, for what
is not committed and, where that is nothing, for the last commit.  For `species/sets/affine.py` that is
tests/species/sets; where a package has no folder of tests, the one above it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALWAYS = "tests/house"  # is the house in order?


def changed(base: str) -> list[str]:
    """Names of files, relative to the repository."""
    new = _git("ls-files", "--others", "--exclude-standard")
    return _git("diff", "--name-only", base) + new


def _git(*arguments: str) -> list[str]:
    run = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def folders_of(files: Iterable[str], root: Path = ROOT) -> list[str]:
    """The tests of these files, as arguments for pytest; those of a folder include the ones below it."""
    found = {ALWAYS, *(test for file in files if (test := _test_of(file, root)))}
    return sorted(test for test in found if not any(str(above) in found for above in Path(test).parents))


def _test_of(file: str, root: Path) -> str:
    if file.startswith("tests/"):
        return file if Path(file).name.startswith("test_") and (root / file).is_file() else ""
    folders = (f"tests/{folder}" for folder in Path(file).parents if str(folder) != ".")
    return next((folder for folder in folders if (root / folder).is_dir()), "")


def main(arguments: list[str]) -> None:
    files = changed(*arguments) if arguments else changed("HEAD") or changed("HEAD~1")
    print(*folders_of(files))


if __name__ == "__main__":
    main(sys.argv[1:])
