"""What compilers say of generated files, and which kernels it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from skeletons import Program
from species.facts.loops import LoopFacts
from species.source.text.code import identifier

# gcc's and clang's; PoCL's, with the word in front; nvcc's.
_MESSAGES = (
    re.compile(r"^(?P<file>[^\n:]+):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<text>.*)$", re.MULTILINE),
    re.compile(r"^error: (?P<file>[^\n:]+):(?P<line>\d+):\d+: (?P<text>.*)$", re.MULTILINE),
    re.compile(r"^(?P<file>[^\n(]+)\((?P<line>\d+)\): (?:catastrophic )?error: (?P<text>.*)$", re.MULTILINE),
)
_PLACELESS = re.compile(r"^(<command[- ]line>|<built-in>|cc1\w*): (?:fatal )?error: (.*)$", re.MULTILINE)
# Not what a rule ran, which says more.
_RULES = re.compile(r"^(?:Makefile:\d+|make): \*\*\* (?!\[)(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """The first error that a compiler finds, in a file of a program."""

    compiler: str
    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.compiler}: {self.file}:{self.line}: {self.message}"


def first_fault(compiler: str, messages: str) -> Fault | None:
    """The first error with a place; where there is none, what make does not understand, or any error."""
    for message in _MESSAGES:
        if found := message.search(messages):
            file = found["file"].rpartition("/")[2]
            return Fault(compiler, file, int(found["line"]), found["text"].strip())
    if rules := _RULES.search(messages):
        return Fault("make", "Makefile", 1, rules[1].strip())
    placeless = _PLACELESS.search(messages)
    return Fault(compiler, placeless[1], 1, placeless[2].strip()) if placeless else None


def blamed(fault: Fault, program: Program, source: str, loops: tuple[LoopFacts, ...]) -> frozenset[str]:
    """The kernels in whose code a fault is; none where that is not known.

    `source` is the text that the program was made of, `loops` are its loops: of a nest that is written anew,
    the kernels of its loops are meant, which make it.
    """
    kernels = [loop for loop in program.replaced if loop.kernel is not None]
    is_host = any(fault.file == name and name.endswith(".c") for name in list(program.files)[:1])
    text = program.files.get(fault.file, "")
    owner = _on_host(fault.line, text, source, kernels) if is_host else _on_device(fault.line, text, kernels)
    if owner is None or owner.kernel is None:
        return frozenset()
    lines = range(owner.position.line, owner.end_line + 1)
    inside = (loop.kernel.name for loop in loops if loop.kernel and loop.position.line in lines)
    return frozenset((owner.kernel.name, *inside))


def _on_device(line: int, text: str, kernels: list[LoopFacts]) -> LoopFacts | None:
    """The kernel that was named last before a line."""
    for written in reversed(text.splitlines()[:line]):
        for kernel in kernels:
            assert kernel.kernel is not None
            if re.search(rf"\b{identifier(kernel.kernel.name)}(?![0-9])", written):
                return kernel
    return None


def _on_host(line: int, text: str, source: str, kernels: list[LoopFacts]) -> LoopFacts | None:
    """The kernel whose loop stood in the source where the line has taken its place."""
    for first, last in _changed(line, text.splitlines(), source.splitlines()):
        behind = [kernel for kernel in kernels if first <= kernel.end_line]
        there = [kernel for kernel in behind if kernel.position.line <= last]
        if there or behind:  # functions of a kernel stand before the function that calls them
            return (there or behind)[0]
    return None


def _changed(line: int, text: list[str], source: list[str]) -> Iterator[tuple[int, int]]:
    """The lines of the source, from 1 on, that others stand for around a line of the text."""
    for what, low, high, begin, end in SequenceMatcher(None, source, text, autojunk=False).get_opcodes():
        if what != "equal" and begin < line <= max(end, begin + 1):
            yield low + 1, max(high, low + 1)
