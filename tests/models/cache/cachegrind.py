"""The model against valgrind: cachegrind simulates caches, and lackey gives the model the accesses.

    python -m tests.models.cache.cachegrind              (20 programs of corpus/polybench)
    python -m tests.models.cache.cachegrind FILE.c ...

Printed are the misses of the first caches, for instructions and data, and of the last one.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from models.cache import CacheLevel, Shared, Trace, sequential_misses
from models.cache.structures import INSTRUCTION, WRITE, Record

POLYBENCH = Path(__file__).parents[3] / "corpus" / "polybench"
KINDS = {b"I": INSTRUCTION, b"L": 0, b"S": WRITE, b"M": 0}  # what is read and written counts as a read
SMALL = ("-DN=20", "-DM=18", "-DNI=20", "-DNJ=18", "-DNK=16", "-DNL=22", "-DNX=20", "-DNY=18", "-DTSTEPS=2")


@dataclass(frozen=True)
class Caches:
    """The first cache for data and the one for instructions, and the last one; all with lines of 64 bytes."""

    first: int = 4096
    ways: int = 2
    last: int = 32768
    last_ways: int = 8

    @property
    def options(self) -> list[str]:
        first, last = f"{self.first},{self.ways},64", f"{self.last},{self.last_ways},64"
        return [f"--D1={first}", f"--I1={first}", f"--LL={last}"]

    def levels(self) -> list[CacheLevel]:
        data, code = (CacheLevel(name, self.first, 64, self.ways) for name in ("D1", "I1"))
        return [data, CacheLevel("LL", self.last, 64, self.last_ways), code]


@dataclass(frozen=True)
class Counts:
    """Accesses of data and of instructions, and misses."""

    data: int
    instructions: int
    data_misses: int
    instruction_misses: int
    last_misses: int


def build(source: Path, folder: Path, flags: Iterable[str] = SMALL) -> Path:
    program = folder / source.stem
    command = ["gcc", "-O1", "-w", *flags, str(source), "-o", str(program), "-lm"]
    subprocess.run(command, check=True, capture_output=True)
    return program


def _valgrind(tool: str, program: Path, *options: str) -> None:
    command = ["valgrind", f"--tool={tool}", *options, str(program)]
    subprocess.run(command, check=True, capture_output=True, env={"PATH": "/usr/bin:/bin"})


def simulated(program: Path, caches: Caches, folder: Path) -> Counts:
    """What cachegrind says."""
    output = folder / "cachegrind.out"
    _valgrind("cachegrind", program, "--cache-sim=yes", *caches.options, f"--cachegrind-out-file={output}")
    text = output.read_text(errors="replace")
    names = re.search(r"^events: (.*)$", text, re.M)
    numbers = re.search(r"^summary: (.*)$", text, re.M)
    assert names and numbers
    of = dict(zip(names[1].split(), map(int, numbers[1].split()), strict=False))
    last = of["ILmr"] + of["DLmr"] + of["DLmw"]
    return Counts(of["Dr"] + of["Dw"], of["Ir"], of["D1mr"] + of["D1mw"], of["I1mr"], last)


def modelled(program: Path, caches: Caches, folder: Path) -> Counts:
    """What the model says of the accesses that lackey sees."""
    output = folder / "lackey.out"
    _valgrind("lackey", program, "--trace-mem=yes", f"--log-file={output}")
    shared = [Shared(level) for level in caches.levels()]
    data, last, code = sequential_misses(shared, _trace(output.read_bytes()), 1, instructions=2)
    misses = [sum(level.references[0].misses) for level in (data, code, last)]
    accesses = (level.references[0].accesses for level in (data, code))
    return Counts(*accesses, *misses)


def _trace(text: bytes) -> Trace:
    found = re.findall(rb"^(?: ([LSM])|(I) ) ([0-9a-f]+),(\d+)$", text, re.M)
    records = [
        (int(address, 16), 0, min(int(size), 64) | KINDS[data or code], 0)
        for data, code, address, size in found
    ]
    return Trace((Record * len(records))(*records), len(records))


def compare(sources: Iterable[Path], caches: Caches) -> int:
    """Prints a line for each program; gives back how many differ."""
    differ = 0
    with tempfile.TemporaryDirectory(prefix="cuvier-cachegrind-") as name:
        folder = Path(name)
        for source in sources:
            program = build(source, folder)
            one, other = simulated(program, caches, folder), modelled(program, caches, folder)
            differ += one != other
            told = f"equal   {one}" if one == other else f"DIFFERS {one} {other}"
            print(f"{source.stem:14} {told}")
    return differ


def main() -> int:
    sources = [Path(name) for name in sys.argv[1:]] or sorted(POLYBENCH.glob("*.c"))[:20]
    return min(compare(sources, Caches()), 1)


if __name__ == "__main__":
    sys.exit(main())
