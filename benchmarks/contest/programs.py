"""The programs of the contest, and their texts as each contender needs them.

What is timed is the call of the kernel in `main`, or the part of `main` that a program names as its region:
two calls of functions that the compiler does not know go around it, the same for everybody.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

BENCHMARKS = Path(__file__).parent.parent
CORPUS = BENCHMARKS.parent / "corpus"
PEERS = BENCHMARKS / "peers"
MAIN = "int main(void)"
HOOKS = "void timing_start(void);\nvoid timing_stop(void);\n"
TOLERANCE = 1e-8


class ProgramError(Exception):
    """A program, or what is said of it, does not fit the harness."""


@dataclass(frozen=True)
class Region:
    """A part of `main`: from the line that starts with `begin` to before the one that starts with `end`.

    `call` is the call of the hand-written kernel that takes its place.
    """

    begin: str
    end: str
    call: str


@dataclass(frozen=True)
class Program:
    """One program, its sizes, and the work that its kernel does at these sizes."""

    name: str
    path: Path
    sizes: dict[str, int]
    operations: str
    moved: str
    data: str
    single: bool = False
    serial: bool = False
    tolerance: float = TOLERANCE
    region: Region | None = None
    text: str = field(default="", repr=False)

    @property
    def kernel(self) -> str:
        return "kernel_" + self.name.replace("-", "_")

    @property
    def peer(self) -> Path:
        return PEERS / f"{self.name}.c"

    @property
    def macros(self) -> list[str]:
        return [f"-D{name}={value}" for name, value in self.sizes.items()]

    @property
    def size_names(self) -> list[str]:
        """The macros that may be set."""
        return re.findall(r"#ifndef (\w+)\n#define \1 ", self.text)

    def amount(self, formula: str) -> float:
        """A formula over the sizes; names that are not set have the values that the program gives them."""
        values = {name: int(value) for name, value in re.findall(r"#define (\w+) (\d+)\s", self.text)}
        return float(eval(formula, {"__builtins__": {}}, {**values, **self.sizes}))

    def timed(self) -> str:
        """The program with the hooks around its kernel."""
        return _hooked(*self._split())

    def by_hand(self) -> str:
        """The same with the kernel of the hand-written peer."""
        before, kernel, after = self._split()
        peer = self.peer.read_text(encoding="utf-8")
        if self.region is None:
            return _hooked(before.replace(_function(before, self.kernel), peer), kernel, after)
        return _hooked(before.replace(MAIN, f"{peer}\n{MAIN}"), f"  {self.region.call}\n", after)

    def as_scop(self) -> str:
        """The same with the kernel's loops marked for polyhedral compilers."""
        before, kernel, after = self._split()
        if self.region is not None:
            return _hooked(before, f"#pragma scop\n{kernel}#pragma endscop\n", after)
        function = _function(before, self.kernel)
        head, loop, body = function.removesuffix("}\n").partition("\n  for ")
        marked = f"{head}\n#pragma scop{loop}{body}#pragma endscop\n}}\n"
        return _hooked(before.replace(function, marked), kernel, after)

    def _split(self) -> tuple[str, str, str]:
        """The text before what is timed, that itself, and the text after."""
        if self.region is None:
            call = re.search(rf"^  {self.kernel}\(.*\);\n", self.text, re.M)
            if call is None:
                raise ProgramError(f"{self.path}: no call of {self.kernel} on a line of its own")
            return self.text[: call.start()], call.group(), self.text[call.end() :]
        main = self.text.find(MAIN)
        begin = self.text.find(f"\n{self.region.begin}", main) + 1
        end = self.text.find(f"\n{self.region.end}", begin) + 1
        if not main < begin < end:
            raise ProgramError(f"{self.path}: the region is not there")
        return self.text[:begin], self.text[begin:end], self.text[end:]


def _hooked(before: str, kernel: str, after: str) -> str:
    return f"{HOOKS}{before}  timing_start();\n{kernel}  timing_stop();\n{after}"


def _function(text: str, name: str) -> str:
    """The definition of a function, up to the brace in the first column."""
    found = re.search(rf"^static void {name}\(.*?^}}\n", text, re.M | re.S)
    if found is None:
        raise ProgramError(f"no definition of {name}")
    return found.group()


def load(sizes: Path = BENCHMARKS / "sizes.yaml", *, at: tuple[str, ...] = ("sizes",)) -> list[Program]:
    """All programs, at the first sizes of these names that the file has for them, or at their own."""
    entries: dict[str, dict[str, Any]] = yaml.safe_load(sizes.read_text(encoding="utf-8"))
    return [_program(name, entry, at) for name, entry in entries.items()]


def _program(name: str, entry: dict[str, Any], at: tuple[str, ...]) -> Program:
    path = CORPUS / entry.get("folder", "polybench") / f"{name}.c"
    region = entry.get("region")
    return Program(
        name,
        path,
        next((entry[key] for key in at if key in entry), {}),
        str(entry["operations"]),
        str(entry["bytes"]),
        str(entry.get("data", entry["bytes"])),
        single=entry.get("single", False),
        serial=entry.get("serial", False),
        tolerance=float(entry.get("tolerance", TOLERANCE)),
        region=Region(**region) if region else None,
        text=path.read_text(encoding="utf-8"),
    )
