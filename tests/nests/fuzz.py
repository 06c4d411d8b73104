"""`python -m tests.nests.fuzz --count N --seed S`: random nests, as they are and as they are compiled for
OpenMP; or for other targets, `--for`.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from unittest import mock

from cuvier.pipeline.generate import generate
from skeletons import CompileOptions, Library, compile_unit, write_program
from skeletons.catalogue.passes import FUSE, THRESHOLD
from skeletons.schedule.reorder import reordered
from skeletons.schedule.transform import block, panels
from species import analyse
from species.analysis.options import AnalysisOptions
from species.facts.loops import UnitFacts
from species.source import PreprocessOptions, TranslationUnit, read_translation_unit
from tests.nests.generator import Nests, nests, program
from tests.support.machines import CORES
from transfers import around_kernels

FLAGS = (
    "-O1",
    "-g",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-strict-aliasing",
    "-w",
)
TOGETHER = 6  # functions in one program
AS_IT_IS = CompileOptions()
SHARES = ("0", "0.4", "1")  # of a device


@dataclass
class Tally:
    """What was run, and what came of it."""

    functions: int = 0
    changed: Counter[str] = field(default_factory=Counter)  # how often each transformation was made
    wrong: list[str] = field(default_factory=list)


Compiler = Callable[[TranslationUnit, UnitFacts, CompileOptions, Tally], str]


def run(
    seeds: list[int],
    folder: Path,
    tally: Tally,
    options: CompileOptions = AS_IT_IS,
    compiler: Compiler | None = None,
) -> None:
    """Compile and run the functions of some seeds; each that gives another result is noted.

    Threads share even the shortest loops.
    """
    compiler = compiler or for_openmp
    functions = [nests(seed) for seed in seeds]
    if compiler is for_hosts:
        functions = [_of_known_sizes(each, seed) for each, seed in zip(functions, seeds, strict=True)]
    else:
        options = replace(options, without=options.without | {THRESHOLD})
    text = program(functions)
    compiled = _compiled(text, folder, tally, options, compiler)
    before = _output(folder, "before", text)
    after = (
        _opencl_output(folder, compiler)
        if compiler in (for_opencl, for_hosts, for_versions)
        else _output(folder, "after", compiled)
    )
    tally.functions += len(functions)
    if before == after:
        return
    if len(functions) == 1:
        tally.wrong.append(
            f"seed {seeds[0]}:\n{functions[0].text}\n--- compiled ---\n{_part(compiled, functions[0])}"
        )
        tally.wrong[-1] += f"\n{after[-800:] if 'rror' in after else _first_difference(before, after)}"
        return
    tally.functions -= len(functions)
    for seed in seeds:
        run([seed], folder, tally, options, compiler)


def _compiled(text: str, folder: Path, tally: Tally, options: CompileOptions, compiler: Compiler) -> str:
    source = folder / "nests.c"
    source.write_text(text)
    unit = read_translation_unit(str(source), PreprocessOptions())
    return compiler(unit, analyse(unit, AnalysisOptions(scops=True)), options, tally)


def for_openmp(unit: TranslationUnit, facts: UnitFacts, options: CompileOptions, tally: Tally) -> str:
    """The OpenMP program."""
    with mock.patch.object(panels, "ROWS", 5):  # the sizes are small
        made = compile_unit(unit, facts, around_kernels(facts), "openmp", Library.load(), options)
    for choice in made.choices:
        for name, taken, reason in choice.why:
            if taken and name == "nests":
                tally.changed.update(reason.split(", "))
    return made.files["nests.c"]


def for_accelerators(unit: TranslationUnit, facts: UnitFacts, options: CompileOptions, tally: Tally) -> str:
    """The program as C, its nests in the order that accelerators like."""
    return _reordered(unit, facts, options, tally, cpu=False)


def for_cores(unit: TranslationUnit, facts: UnitFacts, options: CompileOptions, tally: Tally) -> str:
    """The program as C, its nests in the order that kernels for the cores of a CPU like."""
    return _reordered(unit, facts, options, tally, cpu=True)


def _reordered(
    unit: TranslationUnit, facts: UnitFacts, options: CompileOptions, tally: Tally, *, cpu: bool
) -> str:
    with mock.patch.object(block, "ROWS", 5):  # the sizes are small
        found = reordered(unit, facts, options, cpu=cpu)
    if found is None:
        return unit.source.text
    tally.changed.update(step for nests in found.nests for step in nests.steps)
    return found.text


def for_opencl(unit: TranslationUnit, facts: UnitFacts, options: CompileOptions, tally: Tally) -> str:
    """The OpenCL program for a CPU, beside the file; the host's part of it."""
    flags, analysis = PreprocessOptions(), AnalysisOptions(scops=True)
    analysis = replace(analysis, parts=bool(options.beside))
    options = replace(options, machine=CORES, without=options.without | {FUSE})  # tests of programs fuse
    made = generate(unit, facts, "opencl", Library.load(), flags, analysis, options)
    for choice in made.choices:
        taken = (reason for name, taken, reason in choice.why if taken and name == "nests")
        tally.changed.update(step for reason in taken for step in reason.split(", "))
        tally.changed.update([choice.skeleton.name] if choice.skeleton is not None else ())
    folder = Path(unit.source.path).parent / "opencl"
    shutil.rmtree(folder, ignore_errors=True)
    write_program(made, folder)
    return made.files["nests.c"]


def for_hosts(unit: TranslationUnit, facts: UnitFacts, options: CompileOptions, tally: Tally) -> str:
    """The same for nests of known sizes, which are so small that the host makes most of them."""
    return for_opencl(unit, facts, options, tally)


def for_versions(unit: TranslationUnit, facts: UnitFacts, options: CompileOptions, tally: Tally) -> str:
    """The same, with the host's versions in another order, which make a part of launches."""
    return for_opencl(unit, facts, replace(options, beside="openmp", policy="split"), tally)


def _of_known_sizes(function: Nests, seed: int) -> Nests:
    """The function with sizes of its own, whatever it is called with."""
    text = function.text.replace("(int n, int m", "(int first, int second", 1)
    rng = random.Random(seed)
    sizes = ", ".join(f"{name} = {rng.choice((1, 2, 7, 11, 15))}" for name in "nm")
    return replace(
        function, text=text.replace("{\n", f"{{\n  const int {sizes};\n  (void)first, (void)second;\n", 1)
    )


def _opencl_output(folder: Path, compiler: Compiler) -> str:
    words = ["make", "-C", str(folder / "opencl"), f"CFLAGS={' '.join(FLAGS)}"]
    built = subprocess.run(words, capture_output=True, text=True, check=False)
    if built.returncode:
        return f"error: {built.stderr}"
    shares = SHARES if compiler is for_versions else ("",)
    outputs = {_ran(folder / "opencl" / "nests", CUVIER_SHARE=share) for share in shares}
    return outputs.pop() if len(outputs) == 1 else f"error: shares differ\n{max(outputs)}"


COMPILERS = {
    "openmp": for_openmp,
    "accelerators": for_accelerators,
    "cores": for_cores,
    "opencl": for_opencl,
    "hosts": for_hosts,
    "versions": for_versions,
}


def _output(folder: Path, name: str, text: str) -> str:
    source, binary = folder / f"{name}.c", folder / name
    source.write_text(text)
    flags = (*FLAGS, "-fopenmp") if name == "after" else FLAGS
    built = subprocess.run(["gcc", *flags, "-o", binary, source], capture_output=True, text=True, check=False)
    if built.returncode:
        return f"error: {built.stderr}"
    return _ran(binary)


def _ran(binary: Path, **settings: str) -> str:
    settings |= {"OMP_NUM_THREADS": "3", "CUVIER_LAUNCH_ALL": "1", "ASAN_OPTIONS": "detect_leaks=0"}
    environment = {**os.environ, **settings}
    try:
        ran = subprocess.run(
            [binary], capture_output=True, text=True, env=environment, timeout=120, check=False
        )
    except subprocess.TimeoutExpired:
        return "error: it takes too long"
    return ran.stdout + (f"error {ran.returncode}: {ran.stderr}" if ran.returncode else "")


def _part(text: str, function: Nests) -> str:
    start = text.index(f"void {function.name}(")
    return text[start : text.index("\n}\n", start) + 3]


def _first_difference(before: str, after: str) -> str:
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    return next((f"{a} became {b}" for a, b in pairs if a != b), "the output ends early")


def main() -> int:
    """The command line."""
    warnings.filterwarnings("error", "isl", RuntimeWarning)  # of `attempted`
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=240, help="how many functions")
    parser.add_argument("--seed", type=int, default=0, help="the first one's number")
    parser.add_argument("--time", type=float, default=1e9, help="stop after so many seconds")
    parser.add_argument("--strict-fp", action="store_true")
    parser.add_argument(
        "--for",
        dest="target",
        choices=COMPILERS,
        default="openmp",
        help="cores, accelerators: as C, in the kernels' order; opencl: for a CPU; versions: and the host",
    )
    parser.add_argument("--with", dest="wanted", action="append", default=[], metavar="NAME")
    options = parser.parse_args()
    flags = CompileOptions(strict_fp=options.strict_fp, wanted=frozenset(options.wanted))
    tally, started = Tally(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for first in range(options.seed, options.seed + options.count, TOGETHER):
            shown = len(tally.wrong)
            run(
                list(range(first, min(first + TOGETHER, options.seed + options.count))),
                Path(folder),
                tally,
                flags,
                COMPILERS[options.target],
            )
            for wrong in tally.wrong[shown:]:
                print(wrong, flush=True)
            if time.monotonic() - started > options.time:
                break
            print(f"{tally.functions} functions, {len(tally.wrong)} wrong", file=sys.stderr, flush=True)
    made = ", ".join(f"{name} {count}" for name, count in tally.changed.most_common())
    print(f"{tally.functions} functions, {len(tally.wrong)} wrong; nests changed by {made}")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
