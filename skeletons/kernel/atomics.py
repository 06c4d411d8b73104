"""Reductions into array elements on accelerators: every update becomes a call of an atomic function."""

from __future__ import annotations

from dataclasses import dataclass

from skeletons.kernel.context import Subject
from skeletons.kernel.updates import Update, updates
from species.core.refusal import Refusal
from species.source.text.code import names_in
from species.source.text.edits import Edit, apply_edits

COMBINING = ("atomic", "part")  # transformations that combine values into cells
# Types that have atomic functions, or exchange by comparison, on every device.
_ATOMIC = (
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
)
_NAMES = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "&": "and",
    "|": "or",
    "^": "xor",
    "min": "min",
    "max": "max",
}


@dataclass(frozen=True)
class AtomicFunction:
    """`cuvier_add_double`: combines a value into a cell in one step.

    `space` is where the cell is ("global" or "local"); empty where the language does not ask.
    """

    name: str
    action: str  # "add", "subtract", "multiply", "and", "or", "xor", "min" or "max"
    ctype: str  # of the device
    canonical: str
    space: str

    @property
    def is_float(self) -> bool:
        """Is the cell a floating-point number?"""
        return self.canonical in ("float", "double")

    @property
    def is_signed(self) -> bool:
        """May an integer cell be negative?"""
        return not self.canonical.startswith("unsigned")

    @property
    def size(self) -> int:
        """Bytes of the cell."""
        return 4 if self.canonical in ("int", "unsigned int", "float") else 8


@dataclass(frozen=True)
class Atomics:
    """The updates of one kernel's body."""

    found: tuple[tuple[str, Update], ...]  # with the array
    subject: Subject

    @staticmethod
    def of(subject: Subject) -> Atomics:
        """All updates of the arrays that values are combined into; Refusal where one has no atomic form."""
        found: list[tuple[str, Update]] = []
        for name, operator in operators(subject).items():
            _check(subject, name)
            found += ((name, update) for update in updates(subject.body, name, operator, subject.macro_body))
        return Atomics(tuple(found), subject)

    def functions(self, space: str, *extra: tuple[str, str]) -> tuple[AtomicFunction, ...]:
        """What the updates, and `extra` (array and operator), call for cells in `space`."""
        wanted = [(name, update.operator) for name, update in self.found] + list(extra)
        return tuple(dict.fromkeys(self.function(*pair, space) for pair in wanted))

    def function(self, name: str, operator: str, space: str) -> AtomicFunction:
        """What combines a value into a cell of the array `name`."""
        canonical = self.subject.canonical(self.subject.arrays[name].element, name)
        ctype = self.subject.dialect.device_type(canonical)
        where = "" if self.subject.dialect.pointers else space
        words = ("cuvier", _NAMES[operator], *ctype.split(), *where.split())
        return AtomicFunction("_".join(words), _NAMES[operator], ctype, canonical, where)

    def body(self, space: str) -> str:
        """The kernel's body with calls in place of the updates."""
        edits = []
        for name, update in self.found:
            call = f"{self.function(name, update.operator, space).name}(&{update.place}, {update.operand})"
            edits.append(Edit(update.span, call + ";" * update.is_block))
        return apply_edits(self.subject.body, sorted(edits, key=lambda edit: edit.span))


def operators(subject: Subject) -> dict[str, str]:
    """The operator of every array that values are combined into; Refusal where one has several."""
    found: dict[str, str] = {}
    for combined in subject.kernel.combined:
        if found.setdefault(combined.array, combined.operator) != combined.operator:
            raise Refusal(f"{combined.array} is combined by several operators")
    return found


def _check(subject: Subject, name: str) -> None:
    array = subject.arrays.get(name)
    if array is None:
        raise Refusal(f"{name} is no array of the kernel's")
    canonical = subject.canonical(array.element, name)
    if canonical not in _ATOMIC:
        raise Refusal(f"no device combines {canonical} elements like those of {name} in one step")
    if name in subject.redeclared or name in subject.macro_names(subject.body):
        raise Refusal(f"{name} is used under another name, or another {name} is declared")
    if any(name in names_in(f"{loop.lower} {loop.condition}") for loop in subject.kernel.loops):
        raise Refusal(f"a loop's header reads {name}, which the loop combines values into")
