"""`python -m tests.kernels.fuzz --count N`: random programs of several kinds against what is made of them.

CUDA runs in the host shim under sanitizers, with threads in random order; OpenCL where there is a device.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from models.errors import SkeletonError
from models.machine import DEFAULT, Machine
from skeletons import CompileOptions, Library, Program, compile_unit, write_program
from species import analyse
from species.facts.loops import UnitFacts
from species.source import PreprocessOptions, TranslationUnit, read_translation_unit
from tests.kernels import accumulation, coarse, overlap, products, recurrences, rows, windows, wrapping
from tests.support import accelerated
from tests.support.machines import CORES
from transfers import around_kernels

FUNCTIONS = 6  # in one program
_SHAPES = ("0 0 0", "1 1 1", "9 17 12", "20 33 10", "7 1 0")


@dataclass(frozen=True)
class Kind:
    """`program(seed, functions)` takes the numbers of a shape; `target` is the only one where it is given."""

    program: Callable[[int, int], str]
    shapes: tuple[str, ...] = _SHAPES
    parameters: Mapping[str, int] = field(default_factory=dict)
    preferred: tuple[str, ...] = ()
    target: str = ""
    machine: Machine = DEFAULT
    strict_fp: bool = False
    wanted: frozenset[str] = frozenset()
    flags: tuple[str, ...] = ()  # with which the shim's programs are built


_WINDOWS = ("0 0 0", "3 4 3", "9 17 12", "20 19 10", "7 4 20", "-1 5 -3")
_STAND_IN = Path(__file__).parent.parent / "cublas"
_LARGER = (*_SHAPES, "40 33 10", "-1 5 -3")
_ODD = {"width": 3, "block_x": 3, "block_y": 2}
_FEW = {"least": 2, "width": 3}
_BLOCKS = {"block_m": 6, "block_n": 15, "block_k": 5, "thread_m": 3, "thread_n": 5}
_PANELS = {"block_m": 12, "block_n": 32, "block_k": 5, "thread_m": 3}
_FRAGMENTS = {"block_m": 32, "block_n": 16, "block_k": 8, "thread_m": 2, "thread_n": 4}
KINDS = {
    "accumulation": Kind(accumulation.program, parameters=_BLOCKS),
    "library": Kind(
        products.program,
        (*_SHAPES, "40 33 10"),
        _BLOCKS,
        target="cuda",
        wanted=frozenset({"library"}),
        flags=(f"-I{_STAND_IN}",),
    ),
    "tensor": Kind(
        products.program,
        (*_SHAPES, "40 33 10"),
        _FRAGMENTS,
        target="cuda",
        wanted=frozenset({"tensor-cores"}),
    ),
    "mirrored": Kind(products.program, (*_SHAPES, "40 33 10"), _BLOCKS, target="cuda"),
    "mirrored-opencl": Kind(products.program, (*_SHAPES, "40 33 10"), _BLOCKS, target="opencl"),
    "team": Kind(rows.program, _LARGER, {"rows": 2, "columns": 3, "lanes": 5}, ("team",), target="cuda"),
    "panels": Kind(accumulation.program, parameters=_PANELS, target="opencl", machine=CORES, strict_fp=True),
    "symmetric": Kind(products.program, (*_SHAPES, "40 33 10"), _PANELS, target="opencl", machine=CORES),
    "coarse": Kind(coarse.program, _LARGER, _ODD, ("merged",)),
    "windows": Kind(windows.program, _WINDOWS, {**_ODD, "coarse": 3, "busy": 1}, ("default",), target="cuda"),
    "turned": Kind(recurrences.program, (*_SHAPES, "40 33 10"), _FEW, ("rows",), target="cuda"),
    "turned-opencl": Kind(recurrences.program, (*_SHAPES, "40 33 10"), _FEW, ("rows",), target="opencl"),
    "stretches": Kind(rows.program, _LARGER, {"jam": 6, "groups": 2}, target="opencl", machine=CORES),
    "folded": Kind(coarse.program, _LARGER, {"block_x": 3, "block_y": 2}),
    "wrapping": Kind(wrapping.program, ("",)),
    "overlap": Kind(overlap.program, ("0 0 1", "1 1 2", "7 2 3", "12 5 4", "11 0 11", "-1 3 5", "-3 0 7")),
}


def compare(kind: Kind, seed: int, functions: int, folder: Path, target: str = "cuda") -> Counter[str]:
    """How often each skeleton was taken; AssertionError where the programs print different things."""
    target = kind.target or target
    source = folder / "program.c"
    source.write_text(kind.program(seed, functions))
    plain = accelerated.build_plain(source, folder)
    unit = read_translation_unit(str(source), PreprocessOptions())
    facts = analyse(unit)
    made = _compiled(unit, facts, target, kind)
    write_program(made, folder / "out")
    written = accelerated.Written(source.stem, folder / "out", made.choices)
    binary = (
        accelerated.build_shim(written, kind.flags) if target == "cuda" else accelerated.build_opencl(written)
    )
    for shape in kind.shapes:
        order = f"random:{seed}"
        expected, found = (
            accelerated.run(p, *shape.split(), order=order, CUVIER_LAUNCH_ALL="1") for p in (plain, binary)
        )
        assert found == expected, f"with {shape}: {_first_difference(found, expected)}"
    return Counter(written.skeletons)


def _compiled(unit: TranslationUnit, facts: UnitFacts, target: str, kind: Kind) -> Program:
    wanted = CompileOptions(
        parameters=dict(kind.parameters),
        preferred=kind.preferred,
        machine=kind.machine,
        strict_fp=kind.strict_fp,
        wanted=kind.wanted,
    )
    try:
        return compile_unit(unit, facts, around_kernels(facts), target, Library.load(), wanted)
    except SkeletonError:  # the preferred one fits no kernel
        others = replace(wanted, preferred=())
        return compile_unit(unit, facts, around_kernels(facts), target, Library.load(), others)


def _first_difference(found: str, expected: str) -> str:
    pairs = zip(found.splitlines(), expected.splitlines(), strict=False)
    return next((f"{one!r} instead of {other!r}" for one, other in pairs if one != other), "other lines")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=60, help="how many functions, of each kind")
    parser.add_argument("--seed", type=int, default=0, help="the first program's number")
    parser.add_argument("--time", type=float, default=1e9, help="stop after so many seconds")
    parser.add_argument("--kind", choices=sorted(KINDS), action="append", help="only this one")
    parser.add_argument("--target", choices=("cuda", "opencl"), default="cuda")
    options = parser.parse_args()
    skeletons: Counter[str] = Counter()
    functions, wrong, started = 0, 0, time.monotonic()
    for seed in range(options.seed, options.seed + -(-options.count // FUNCTIONS)):
        for name in options.kind or KINDS:
            if time.monotonic() > started + options.time:
                break
            functions += FUNCTIONS
            with tempfile.TemporaryDirectory() as folder:
                try:
                    skeletons += compare(KINDS[name], seed, FUNCTIONS, Path(folder), options.target)
                except AssertionError as error:
                    wrong += 1
                    print(f"{name}, seed {seed}: {error}", flush=True)
        print(f"{time.monotonic() - started:.0f} s: {functions} functions, {wrong} wrong", file=sys.stderr)
    taken = ", ".join(f"{number} {name}" for name, number in skeletons.most_common())
    print(f"{functions} functions, {wrong} wrong; {taken}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
