"""`python -m tests.filters.fuzz --count N`: random filters against what is made of them, on all targets."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from cuvier.pipeline.generate import generate, options_for
from models.machine import DEFAULT
from skeletons import CompileOptions, Library, write_program
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.filters.generator import program
from tests.support import accelerated

SIZES = ("0", "1", "2", "17", "61")
FLAGS = ("-O2", "-Wall", "-Wextra", "-fopenmp", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def compare(seed: int, folder: Path, target: str) -> int:
    """How many kernels there are; AssertionError where the programs print different things."""
    source = folder / "filters.c"
    source.write_text(program(seed))
    plain = _built(source, folder / "plain")
    library, flags = Library.load(), PreprocessOptions()
    analysis = options_for(library.target(target), AnalysisOptions())
    unit = read_translation_unit(str(source), flags)
    options = CompileOptions(
        without=frozenset({"threshold"}), machine=replace(DEFAULT, cores=2), strict_fp=True
    )
    made = generate(unit, analyse(unit, analysis), target, library, flags, analysis, options)
    write_program(made, folder / "out")
    binary = folder / "out" / "made"
    if target == "openmp":
        _built(folder / "out" / source.name, binary)
    else:
        written = accelerated.Written(source.stem, folder / "out", made.choices)
        binary = accelerated.build_shim(written) if target == "cuda" else accelerated.build_opencl(written)
    for size in SIZES:
        expected = accelerated.run(plain, size, OMP_NUM_THREADS="1")
        found = accelerated.run(binary, size, OMP_NUM_THREADS="3", CUVIER_LAUNCH_ALL="1")
        assert found == expected, f"with {size}: {found!r} instead of {expected!r}"
    return len(made.replaced)


def _built(source: Path, binary: Path) -> Path:
    """A program, of which gcc has nothing to say."""
    done = subprocess.run(["gcc", *FLAGS, source, "-o", binary], check=True, capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return binary


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=60, help="programs [default: 60]")
    parser.add_argument("--seed", type=int, default=0, help="the first program's number")
    parser.add_argument("--time", type=float, default=1e9, help="stop after so many seconds")
    parser.add_argument("--target", choices=("openmp", "opencl", "cuda"), default="openmp")
    options = parser.parse_args()
    wrong = kernels = done = 0
    started = time.monotonic()
    for seed in range(options.seed, options.seed + options.count):
        if time.monotonic() - started > options.time:
            break
        with tempfile.TemporaryDirectory(prefix="filters-") as folder:
            done += 1
            try:
                kernels += compare(seed, Path(folder), options.target)
            except (AssertionError, subprocess.CalledProcessError) as error:
                wrong += 1
                print(f"seed {seed}: {error}{getattr(error, 'stderr', '')}", flush=True)
    print(f"{done} programs, {kernels} kernels: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
