"""Threads that combine values into copies of arrays, which are put together behind the loop.

OpenMP's clauses have such copies on the threads' stacks, of sizes that the source has as numbers, of cells
that exist in any case.  Here they are of any size, in memory that the program asks for; cells to which no
thread adds are not touched (array privatisation of reductions).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from models.estimate import Program
from models.operations import operations
from models.sizes.amounts import SOME, Amounts
from skeletons.cost.work import body_of
from skeletons.kernel.atomics import operators
from skeletons.kernel.chunks import can_stand_twice, free_names
from skeletons.kernel.context import Subject
from skeletons.kernel.spelling import user_words
from skeletons.schedule.emit.copies import COPIES
from species.core.refusal import Refusal
from species.facts.loops import KernelArray, Reduction
from species.grammar.nodes import Range
from species.openmp.rules import OPERATORS
from species.row_tests import called_in
from species.source.text.code import code_tokens, on_one_line, parenthesised

SEARCHED = 20  # operations of an iteration, at least, where numbers in memory tell which elements there are
CELL = 8  # operations that a cell of a copy costs: it is set, read, and added to another one
_SIGNED = {"signed char": 8, "short": 16, "int": 32, "long": 64, "long long": 64}
_UNSIGNED = {f"unsigned {name}".replace("signed char", "char"): bits for name, bits in _SIGNED.items()}
_COMPARING = frozenset(("==", "!=", "!", "&&", "||", "<", ">", "<=", ">=", "?"))  # also with null pointers
_LEADING = ("[", "->", ".")
_INFINITE = {"float": "__builtin_huge_valf()", "double": "__builtin_huge_val()"}


@dataclass(frozen=True)
class ArrayCopy:
    """An array of which threads have copies, from row `first` to row `high`; `inner` are the lengths of rows.

    `low` names the first row, once that is computed.  `neutral` is what the cells of copies start from.
    """

    name: str
    element: str
    low: str
    first: str
    high: str
    inner: tuple[str, ...]
    operator: str
    neutral: str
    members: tuple[tuple[str, str, str], ...] = ()  # with their operators, and what they start from

    @property
    def cells(self) -> str:
        """How many there are, of type long."""
        last = re.fullmatch(r"([^?]*[\w)])-1", self.high) if self.low == "0" else None
        rows = f"(long){parenthesised(last[1])}" if last else f"(long){parenthesised(self.high)} + 1"
        rows = rows if self.low == "0" else f"{rows} - {parenthesised(self.low)}"
        return " * ".join([f"({rows})", *(f"({length})" for length in self.inner)]) if self.inner else rows

    def at(self, name: str, cell: str) -> str:
        """The cell of this number, from that where the copies begin, by a pointer to the array."""
        if self.inner:
            return f"(&{name}[{self.low}]{'[0]' * len(self.inner)})[{cell}]"
        return f"{name}[{cell}]" if self.low == "0" else f"{name}[{parenthesised(self.low)} + {cell}]"

    def pointer(self, name: str) -> str:
        """The declaration of a pointer to the array's rows, or cells."""
        rows = "".join(f"[{length}]" for length in self.inner)
        return f"{self.element} (*{name}){rows}" if rows else f"{self.element} *{name}"

    def placed(self, cells: str) -> str:
        """The value of such a pointer for a copy with these cells."""
        rows = "".join(f"[{length}]" for length in self.inner)
        start = f"({self.element} (*){rows}){cells}" if rows else cells
        return start if self.low == "0" else f"{start} - ({self.low})"

    def combined(self, cell: str, other: str) -> str:
        """The statement that combines another cell into one, if there is something in it."""
        if self.members:
            parts = (_combined(f"{cell}.{m}", f"{other}.{m}", *how) for m, *how in self.members)
            return f"{{ {' '.join(parts)} }}"
        return _combined(cell, other, self.operator, self.neutral)


def _combined(cell: str, other: str, operator: str, neutral: str) -> str:
    """The statement that combines another cell into one, unless the other is as it started."""
    combining = f"{cell} {operator}= {other};"
    if operator in ("min", "max"):
        combining = f"{cell} = {other} {'<' if operator == 'min' else '>'} {cell} ? {other} : {cell};"
    return f"if ({other} != {neutral}) {combining}"


@dataclass(frozen=True)
class ArrayCopies:
    """What the template sees: `clauses` are those of the loop, `trips` its iterations, each of which makes
    about `work` operations; `free` gives names.
    """

    arrays: tuple[ArrayCopy, ...]
    trips: str
    work: int
    memory: str  # the function that gives memory for copies
    helper: str  # the function that says in how many parts a loop is cut
    free: Callable[[str], str]
    clauses: tuple[str, ...]
    conditions: tuple[str, ...]
    cell: int


def array_copies(
    subject: Subject, clauses: tuple[str, ...], asked: str, helper: str, cell: int = CELL
) -> ArrayCopies:
    """The kernel for threads with copies; Refusal says what stands in the way.

    `clauses` are those for what the loop does to variables, `asked` what the program asks before it.  The
    function `helper` says in how many parts a loop is cut; a `cell` of a copy costs so many operations.
    """
    kernel, text = subject.kernel, subject.span.of(subject.text)
    if kernel.sharing_obstacle:
        raise Refusal(kernel.sharing_obstacle)
    if COPIES in user_words(subject.unit) or not can_stand_twice(text):
        raise Refusal("its text cannot stand in a file twice, or the file has names of generated code")
    trips = kernel.loops[0].trips
    if trips is None:
        raise Refusal("the number of iterations is not known before the loop")
    unfit = next((r for r in subject.facts.reductions if r.operator not in OPERATORS), None)
    if unfit is not None:
        raise Refusal(f"OpenMP has no reduction '{unfit.operator}' (of '{unfit.variable}')")
    free, work = free_names(subject), _work(subject)
    arrays = tuple(_copy(subject, name, sign, free) for name, sign in operators(subject).items())
    if cell and work < SEARCHED and any(called_in(array.first) for array in arrays):
        raise Refusal("an iteration does not take longer than to look for the first and the last element")
    provided = (text for each in kernel.combined for text in each.provided)
    return ArrayCopies(
        arrays=arrays,
        trips=on_one_line(trips),
        work=work,
        memory=COPIES,
        helper=helper,
        cell=cell,
        free=free,
        clauses=tuple(c for c in clauses if not c.startswith("if(")),
        conditions=tuple(dict.fromkeys(filter(None, (*provided, asked)))),
    )


def _work(subject: Subject) -> int:
    """The operations of an iteration; loops in it of unknown lengths are taken for short ones."""
    calls = Program.of(subject.unit.ast).operations
    return max(1, round(operations(body_of(subject, 1), Amounts(subject.macro_body, SOME), calls)))


def without_arrays(subject: Subject) -> tuple[Reduction, ...]:
    """The reductions of a loop that are none into arrays."""
    scalars = {scalar.name for scalar in subject.kernel.scalars}
    return tuple(r for r in subject.facts.reductions if r.variable in scalars)


def _copy(subject: Subject, name: str, operator: str, free: Callable[[str], str]) -> ArrayCopy:
    combined = [each for each in subject.kernel.combined if each.array == name]
    members, array = combined[0].members, subject.arrays.get(name)
    if not all(each.copied for each in combined) or (array is None and not members):
        raise Refusal(f"threads cannot have copies of {name}: it is reached in other ways than by this name")
    if name in subject.redeclared or name in subject.macro_names(subject.span.of(subject.text)):
        raise Refusal(f"{name} is used under another name, or another {name} is declared")
    if _is_measured(subject, name):
        raise Refusal(f"the loop asks for the size or the address of {name}")
    low, high, inner = _rows(array, combined[0].region)
    element = array.element if array is not None else combined[0].element
    if "@" in element:  # structures without a name
        element = f"__typeof__({name}{'[0]' * (len(inner) + 1)})"
    if subject.iterators & {t.text for part in (low, high, *inner) for t in code_tokens(part)}:
        raise Refusal(f"the bounds of {name} depend on an iterator of the nest")
    parts = tuple(
        _member(subject, name, *each)
        for each in zip(members, combined[0].operators, combined[0].types, strict=True)
    )
    neutral = (
        _start(element, parts) if members else _neutral(operator, subject.canonical(element, name), element)
    )
    row = free(f"{name}_first") if called_in(low) else low
    return ArrayCopy(name, element, row, low, high, inner, operator, neutral, parts)


def _member(subject: Subject, array: str, name: str, operator: str, ctype: str) -> tuple[str, str, str]:
    """A member with its operator, and what it starts from."""
    extreme = operator in ("min", "max")
    return name, operator, _neutral(operator, subject.canonical(ctype, array), ctype) if extreme else "0"


def _start(element: str, parts: Sequence[tuple[str, str, str]]) -> str:
    """A structure with the members that sums and extremes start from."""
    values = [f".{name} = {value}" for name, _, value in parts if value != "0"]
    return f"({element}){{{', '.join(values) or '0'}}}"


def _rows(array: KernelArray | None, region: tuple[Range, ...]) -> tuple[str, str, tuple[str, ...]]:
    """The first and the last row of the region, and how long rows are, dimension by dimension."""
    if array is None:
        return region[0].low, region[0].high, ()
    outer, *inner = array.extent or (None,)
    lengths = [length for length in inner if length is not None]
    if len(lengths) < len(inner):
        raise Refusal(f"it is unknown how long the rows of {array.name} are")
    if any(_leaves(part, length) for part, length in zip(region[1:], lengths, strict=False)):
        raise Refusal(f"rows of {array.name} are left for others")
    if region:
        return region[0].low, region[0].high, tuple(lengths)
    if outer is None:
        raise Refusal(f"the size of {array.name} is unknown")
    return "0", str(int(outer) - 1) if outer.isdigit() else f"({outer}) - 1", tuple(lengths)


def _leaves(part: Range, length: str) -> bool:
    """Is a part of a row known to be none?"""
    numbers = [text for text in (part.low, part.high, length) if text.lstrip("-").isdigit()]
    return part.low.startswith("-") or (len(numbers) == 3 and int(part.high) >= int(length))


def _is_measured(subject: Subject, name: str) -> bool:
    """Does the text look at more than the array's cells: `sizeof name`, `&name`, `name != NULL`?"""
    texts = [token.text for token in code_tokens(subject.span.of(subject.text))]
    if {"sizeof", "typeof", "__typeof__", "_Generic"}.intersection(texts):
        return True
    padded = ["", "", *texts, ""]
    places = [k for k, word in enumerate(padded) if word == name]
    return any(_is_looked_at(padded[k - 2], padded[k - 1], padded[k + 1]) for k in places)


def _is_looked_at(first: str, before: str, after: str) -> bool:
    """Is a name between these tokens an address that is taken, or compared?"""
    if before == "&":
        return after not in ("[", "->")
    compared = before in _COMPARING and after not in _LEADING
    return compared or after in _COMPARING or (first in ("if", "while") and (before, after) == ("(", ")"))


def _neutral(operator: str, canonical: str, element: str) -> str:
    if operator in ("+", "|", "^"):
        return "0"
    if operator in ("*", "&"):
        return "1" if operator == "*" else f"({element})~0"
    if operator in ("min", "max") and canonical in _INFINITE:
        return _INFINITE[canonical] if operator == "min" else f"-{_INFINITE[canonical]}"
    if operator in ("min", "max") and canonical in _SIGNED:
        most = f"{2 ** (_SIGNED[canonical] - 1) - 1}{'L' * (_SIGNED[canonical] > 32)}"
        return most if operator == "min" else f"-{most} - 1"
    if operator in ("min", "max") and canonical in _UNSIGNED:
        return f"({element})-1" if operator == "min" else "0"
    raise Refusal(f"copies of cells of type {canonical} have nothing to start from for {operator}")
