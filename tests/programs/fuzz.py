"""`python -m tests.programs.fuzz --count N`: random whole programs, also (`--tables`) over tables of rows,
and what is made of them for accelerators and threads.

CUDA runs in the host shim under sanitizers, OpenCL with buffers of its own; memory that must not be looked at
is poisoned.  OpenMP runs on threads, under sanitizers; its short loops too.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from cuvier.pipeline.base.reading import Reader
from cuvier.pipeline.generate import generate
from models.machine import DEFAULT, Machine
from skeletons import CompileOptions, Library, write_program
from skeletons.catalogue.passes import FUSE, GLUE, LIBRARY, THRESHOLD
from skeletons.schedule.pipelines.registry import requestable
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.programs import table_fuzz
from tests.programs.generator import program
from tests.support import accelerated
from tests.support.machines import with_device

VERSIONS = "versions"  # as static, of programs that choose between the device and the host
DEVICES = "devices"  # as static, of programs whose kernels several devices share
MODES = ("static", "naive", "auto", "cgcm", "inspector", VERSIONS, DEVICES)
_QUIET = (
    *("-Wno-unused", "-Wno-unused-parameter", "-Wno-unused-but-set-variable", "-Wno-dangling-else"),
    "-Wno-unknown-pragmas",
)


def compare(
    seed: int,
    folder: Path,
    target: str = "cuda",
    modes: tuple[str, ...] = MODES,
    program: Callable[[int], str] = program,
) -> Counter[str]:
    """Bytes and copies per mode; AssertionError where a program prints something else than the original.

    What a mode writes as another one did is not run again.
    """
    source = folder / "program.c"
    source.write_text(program(seed))
    expected = accelerated.run(accelerated.build_plain(source, folder, _QUIET))
    flags, analysis = PreprocessOptions(), AnalysisOptions(scops=True)
    unit = read_translation_unit(str(source), flags)
    facts, library, totals = analyse(unit, analysis), _library(), Counter[str]()
    reader, seen = Reader(str(source), flags, analysis), []
    for mode in modes:
        options = _options(seed, target, mode)
        if mode in (VERSIONS, DEVICES) and not analysis.parts:
            analysis = replace(analysis, parts=True)
            facts, reader = analyse(unit, analysis), Reader(str(source), flags, analysis)
        made = generate(unit, facts, target, library, flags, analysis, options, reader=reader)
        if made.files in seen:
            continue
        seen.append(made.files)
        out = folder / mode
        write_program(made, out)
        written = accelerated.Written(source.stem, out, made.choices)
        binary = _BUILDS[target](written, (*_QUIET, "-DCUVIER_POISON"))
        counters = out / "counters.json"
        for name in ("devices", "split"):
            shared = sum((name, True) in [why[:2] for why in choice.why] for choice in made.choices)
            totals[f"{mode} kernels: {name}"] += shared
        for policy in _POLICIES.get(mode, ("gpu",)):
            found = accelerated.run(
                binary,
                order=f"random:{seed}",
                ASAN_OPTIONS="detect_leaks=0",
                OMP_NUM_THREADS="3",
                CUVIER_COUNTERS=str(counters),
                CUVIER_OPENCL_COPY="1",
                CUVIER_POLICY=policy if mode == VERSIONS else "gpu",
                **(_devices(target, policy) if mode == DEVICES else {}),
            )
            assert found == expected, f"{mode}, policy {policy}: {_first_difference(found, expected)}"
        if counters.exists():
            copies = json.loads(counters.read_text())["copies"]
            totals[f"{mode} bytes"] += sum(copy["bytes"] for copy in copies)
            totals[f"{mode} copies"] += sum(copy["count"] for copy in copies)
    return totals


# Of programs for several devices, the weights of these, and their account.
_POLICIES = {
    VERSIONS: ("predict", "fastest", "cpu", "split"),
    DEVICES: ("1,1", "1,0,3,2 single", "1,1,1,1,1,1,1,1,1"),
}


def _devices(target: str, policy: str) -> dict[str, str]:
    """So many devices: of CUDA emulated ones, of OpenCL one of which each has its own part of the memory."""
    weights, _, tracker = policy.partition(" ")
    numbers = range(weights.count(",") + 1)
    named = ",".join(str(number if target == "cuda" else 0) for number in numbers)
    return {
        "CUVIER_DEVICES": named,
        "CUVIER_WEIGHTS": weights,
        "CUVIER_TRACKER": tracker or "shared",
        "CUVIER_SHIM_DEVICES": str(len(numbers)),
        "CUVIER_LAUNCH_ALL": "1",
    }


def _options(seed: int, target: str, mode: str) -> CompileOptions:
    """What a program is compiled with: for threads, short loops too, and what its number draws."""
    wanted = {name for bit, name in ((1, FUSE), (2, GLUE)) if not seed & bit}
    machine, without = _machine(seed, target), frozenset[str]()
    if target == "openmp":
        names = sorted(set(requestable(_library().target(target))) - {LIBRARY})
        wanted, without = set(random.Random(seed).sample(names, seed % 3)), frozenset({THRESHOLD})
    devices = None if mode == DEVICES and target != "openmp" else 1
    beside = "openmp" if mode == VERSIONS and target != "openmp" else ""
    mode = "static" if mode in (VERSIONS, DEVICES) else mode
    if beside:
        without = frozenset({THRESHOLD}) if seed % 4 else without
    made = CompileOptions(comm=mode, wanted=frozenset(wanted), machine=machine, without=without)  # type: ignore[arg-type]
    return replace(made, beside=beside, devices=devices)


_BUILDS = {
    "cuda": accelerated.build_shim,
    "opencl": accelerated.build_opencl,
    "openmp": accelerated.build_openmp,
}


def _machine(seed: int, target: str) -> Machine:
    """For OpenCL, every other one is a CPU, for which loops of few iterations stay on the host."""
    launch = 1e-9 * 4 ** (seed // 2 % 5)
    cpu = with_device(launch=launch, latency=launch)
    return cpu if target == "opencl" and seed % 2 else DEFAULT


_library = cache(Library.load)


def _first_difference(found: str, expected: str) -> str:
    pairs = zip(found.splitlines(), expected.splitlines(), strict=False)
    different = (f"line {k}: {a!r} instead of {b!r}" for k, (a, b) in enumerate(pairs, 1) if a != b)
    return next(different, "other lines")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=60, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the first program's number")
    parser.add_argument("--time", type=float, default=1e9, help="stop after so many seconds")
    parser.add_argument("--target", choices=tuple(_BUILDS), default="cuda")
    parser.add_argument("--mode", choices=MODES, action="append", help="only this one")
    parser.add_argument("--tables", action="store_true", help="programs over tables of rows")
    options = parser.parse_args()
    wanted = table_fuzz.program if options.tables else program
    totals: Counter[str] = Counter()
    done, wrong, started = 0, 0, time.monotonic()
    for seed in range(options.seed, options.seed + options.count):
        if time.monotonic() > started + options.time:
            break
        done += 1
        with tempfile.TemporaryDirectory() as folder:
            try:
                totals += compare(seed, Path(folder), options.target, tuple(options.mode or MODES), wanted)
            except AssertionError as error:
                wrong += 1
                print(f"seed {seed}: {error}", flush=True)
        print(f"{time.monotonic() - started:.0f} s: {done} programs, {wrong} wrong", file=sys.stderr)
    print(f"{done} programs, {wrong} wrong; {', '.join(f'{n} {k}' for k, n in totals.items())}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
