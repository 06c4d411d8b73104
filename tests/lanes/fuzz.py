"""`python -m tests.lanes.fuzz --count N --seed S`: random loops with data-dependent exits, as
they are and as they are compiled for OpenMP, under sanitizers and in vectors.  With `--target opencl`: as
they are compiled for a CPU through OpenCL.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from skeletons import CompileOptions, Library, Program, compile_unit
from skeletons.catalogue.passes import LANES, THRESHOLD
from species import analyse
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit
from tests.lanes.generator import program
from tests.support.machines import CORES
from transfers import around_kernels

TOGETHER = 12  # functions in one program
_OWN = ("-Wno-sign-compare", "-Wno-unused-but-set-variable", "-Wno-unknown-pragmas")  # of what is generated
WARNINGS = ("-Wall", "-Wextra", "-Werror", *_OWN)
SANITIZED = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
FAST = ("-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno")


def compiled(text: str, reasons: Counter[str]) -> str:
    """The OpenMP program, in which threads share even the shortest loops; counts what was said of loops."""
    return _made(text, "openmp", reasons).files["program.c"]


def _made(text: str, target: str, reasons: Counter[str]) -> Program:
    unit = read_translation_unit("program.c", PreprocessOptions(), text=text)
    facts = analyse(unit, AnalysisOptions(scops=True))
    options = CompileOptions(without=frozenset({THRESHOLD}), machine=CORES)
    made = compile_unit(unit, facts, around_kernels(facts), target, Library.load(), options)
    for choice in made.choices:
        said = [(taken, text) for name, taken, text in choice.why if name == LANES]
        reasons.update("taken" if taken else text.split(": ", 1)[1] for taken, text in said)
    return made


def by_opencl(text: str, folder: Path, reasons: Counter[str]) -> str:
    """What the program for a CPU through OpenCL prints, or what is wrong with it."""
    (folder / "out").mkdir()
    made = _made(text, "opencl", reasons)
    for name, content in made.files.items():
        (folder / "out" / name).write_text(content)
    flags = f"CFLAGS=-O1 -ffp-contract=off {' '.join(WARNINGS)}"
    words = ["make", "-C", str(folder / "out"), flags]
    built = subprocess.run(words, capture_output=True, text=True, check=False)
    if built.returncode:
        return f"error: {built.stderr[-3000:]}"
    return _ran(folder / "out", {"CUVIER_LAUNCH_ALL": "1"})


def printed(text: str, folder: Path, *flags: str) -> str:
    """What a program prints, or what is wrong with it."""
    (folder / "program.c").write_text(text)
    words = ["gcc", *flags, "program.c", "-o", "program", "-lm"]
    built = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if built.returncode:
        return f"error: {built.stderr[-3000:]}"
    return _ran(folder, {"OMP_NUM_THREADS": "3", "ASAN_OPTIONS": "detect_leaks=0"})


def _ran(folder: Path, settings: dict[str, str]) -> str:
    environment = {**os.environ, **settings}
    words = ["timeout", "60", "./program"]
    ran = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return ran.stdout if ran.returncode == 0 else f"error: {ran.stderr[-3000:]}"


def differences(seeds: list[int], folder: Path, reasons: Counter[str], target: str = "openmp") -> list[str]:
    """What is wrong with the programs of these seeds; those that are wrong by themselves count as well."""
    text = program(seeds)
    expected = printed(text, folder, *SANITIZED, "-w")
    if expected.startswith("error"):
        return [f"seeds {seeds}, as it was written: {expected}"]
    if target == "opencl":
        result = by_opencl(text, folder, reasons)
        return [f"seeds {seeds}, opencl: {_first(result, expected)}"] if result != expected else []
    made, found = compiled(text, reasons), list[str]()
    threads = () if seeds[0] // TOGETHER % 3 == 0 else ("-fopenmp",)  # a program without them is the same
    for flags in ((*SANITIZED, *threads, "-w"), (*FAST, *threads, *WARNINGS)):
        result = printed(made, folder, *flags)
        if result != expected:
            found.append(f"seeds {seeds}, {' '.join(flags)}: {_first(result, expected)}")
    return found


def _first(result: str, expected: str) -> str:
    if "error" in result:
        return result
    pairs = zip(result.splitlines(), expected.splitlines(), strict=False)
    return next((f"{a!r} instead of {b!r}" for a, b in pairs if a != b), "other lines")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=80, help="how many functions")
    parser.add_argument("--seed", type=int, default=0, help="the first function's number")
    parser.add_argument("--time", type=float, default=1e9, help="stop after so many seconds")
    parser.add_argument("--target", choices=("openmp", "opencl"), default="openmp")
    options = parser.parse_args()
    reasons, wrong, functions, started = Counter[str](), 0, 0, time.monotonic()
    for seed in range(options.seed, options.seed + options.count, TOGETHER):
        if time.monotonic() > started + options.time:
            break
        with tempfile.TemporaryDirectory() as folder:
            found = differences(list(range(seed, seed + TOGETHER)), Path(folder), reasons, options.target)
        functions, wrong = functions + TOGETHER, wrong + bool(found)
        print("\n".join(found), end="\n" if found else "", flush=True)
        print(f"{time.monotonic() - started:.0f} s: {functions} functions, {wrong} wrong", file=sys.stderr)
    for reason, number in reasons.most_common():
        print(f"{number} {reason}")
    print(f"{functions} functions, {wrong} wrong programs")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
