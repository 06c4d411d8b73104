"""``python -m skeletons.shim in.cu -o out.cpp`` and ``python -m skeletons.shim --include-dir``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from skeletons.shim import shim_include_dir, translate


def main(arguments: list[str] | None = None) -> int:
    """Translates one file or prints the folder of the headers; the exit status is 2 for an unusable file."""
    parser = argparse.ArgumentParser(
        prog="python -m skeletons.shim", description="CUDA source to C++ for the host shim"
    )
    parser.add_argument("source", nargs="?", type=Path, help="a CUDA file")
    parser.add_argument("-o", "--output", type=Path, help="the C++ file to write")
    parser.add_argument(
        "--include-dir", action="store_true", help="print the folder of the shim's cuda_runtime.h"
    )
    options = parser.parse_args(arguments)
    if options.include_dir:
        print(shim_include_dir())
        return 0
    if options.source is None or options.output is None:
        parser.error("name a CUDA file and the C++ file to write: in.cu -o out.cpp")
    return _translate(options.source, options.output)


def _translate(source: Path, output: Path) -> int:
    try:
        translate(source, output)
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
