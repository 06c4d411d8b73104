"""`python -m tests.filters.fuzz --count N`: random filters against what is made of them, on all targets."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
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


def compare(text: str, folder: Path, target: str, *, strict_fp: bool = True) -> Counter[str]:
    """The skeletons of the kernels; AssertionError where the programs print different things."""
    source = folder / "random.c"
    source.write_text(text)
    plain = _built(source, folder / "plain")
    library, flags = Library.load(), PreprocessOptions()
    analysis = options_for(library.target(target), AnalysisOptions())
    unit = read_translation_unit(str(source), flags)
    options = CompileOptions(
        without=frozenset({"threshold"}), machine=replace(DEFAULT, cores=2), strict_fp=strict_fp
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
    return Counter(choice.skeleton.name for choice in made.choices if choice.skeleton is not None)


def _built(source: Path, binary: Path) -> Path:
    """A program, of which gcc has nothing to say."""
    done = subprocess.run(["gcc", *FLAGS, source, "-o", binary], check=True, capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return binary


def main(made: Callable[[int], str] = program, *, strict_fp: bool = True, said: str = __doc__ or "") -> int:
    """The command line of a fuzzer whose programs `made` gives by their numbers."""
    parser = argparse.ArgumentParser(description=said)
    parser.add_argument("--count", type=int, default=60, help="programs [default: 60]")
    parser.add_argument("--seed", type=int, default=0, help="the first program's number")
    parser.add_argument("--time", type=float, default=1e9, help="stop after so many seconds")
    parser.add_argument("--target", choices=("openmp", "opencl", "cuda"), default="openmp")
    options = parser.parse_args()
    wrong = done = 0
    kernels = Counter[str]()
    started = time.monotonic()
    for seed in range(options.seed, options.seed + options.count):
        if time.monotonic() - started > options.time:
            break
        with tempfile.TemporaryDirectory(prefix="random-") as folder:
            done += 1
            try:
                kernels += compare(made(seed), Path(folder), options.target, strict_fp=strict_fp)
            except (AssertionError, subprocess.CalledProcessError) as error:
                wrong += 1
                print(f"seed {seed}: {error}{getattr(error, 'stderr', '')}", flush=True)
    named = ", ".join(f"{count} {name}" for name, count in kernels.most_common())
    print(f"{done} programs, {kernels.total()} kernels ({named}): {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
