"""Reductions whose result does not depend on threads: a loop in parts, combined in the order of the parts.

OpenMP combines the values of threads as these come, so that sums of floating-point numbers differ from run to
run.  Here the parts are the same for any number of threads, and one thread combines them in the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from skeletons.catalogue.passes import may_be_rounded
from skeletons.kernel.chunks import SplitLoop, free_names, split_loop
from skeletons.kernel.context import Subject
from species.annotate import openmp
from species.core.refusal import Refusal
from species.facts.loops import Reduction
from species.source.text.code import words_in

PARTS = 256  # enough for the threads of a large machine to have about as many each
_NEUTRAL = {"+": "0", "*": "1"}


@dataclass(frozen=True)
class Total:
    """A scalar that the loop reduces; `before` is its value before the loop, `parts` those of the parts."""

    name: str
    ctype: str
    operator: str
    before: str
    parts: str

    @property
    def neutral(self) -> str:
        """What a part starts from."""
        return _NEUTRAL.get(self.operator, self.before)

    def joined(self, part: str) -> str:
        """The statement that takes a part in."""
        value = f"{self.parts}[{part}]"
        if self.operator in _NEUTRAL:
            return f"{self.name} {self.operator}= {value};"
        sign = "<" if self.operator == "min" else ">"
        return f"{self.name} = {value} {sign} {self.name} ? {value} : {self.name};"


@dataclass(frozen=True)
class Ordered:
    """The loop, what it reduces in order, and the clauses of the directive that shares its parts."""

    loop: SplitLoop
    free: Callable[[str], str]
    totals: tuple[Total, ...]
    clauses: tuple[str, ...]
    vectors: tuple[str, ...]  # clauses of a directive for vectors; empty: there is none
    schedule: str
    count: int = PARTS

    def check(self, text: str) -> None:
        """Refusal where a template has made no use of it."""
        for total in self.totals:
            if total.parts not in text:
                raise Refusal(f"threads would combine {total.name} as they come (--with deterministic)")


def ordered_view(subject: Subject) -> Ordered | None:
    """The kernel in parts; None where it reduces only what has one result in any order.

    Refusal where no parts can be made.
    """
    types = {s.name: subject.declarations.canonical(s.ctype) for s in subject.kernel.scalars}
    rounded = [r for r in subject.facts.reductions if may_be_rounded(types.get(r.variable))]
    cells = [r.variable for r in rounded if r.variable not in types]
    cells = [c for c in cells if may_be_rounded(_element(subject, c))]
    rounded = [r for r in rounded if r.variable in types]
    if cells:
        raise Refusal(f"threads would combine {cells[0]} as they come (--with deterministic)")
    if not rounded or any(r.keeps for r in rounded):
        return None  # of equal extremes the position decides
    loop, free = split_loop(subject, nested=True), free_names(subject)
    return Ordered(
        loop=loop,
        free=free,
        totals=tuple(_total(subject, r, free) for r in rounded),
        clauses=tuple(_clauses(subject, loop, rounded)),
        vectors=_vectors(subject, loop, rounded),
        schedule="dynamic" if "while" in words_in(loop.body) else "static",
    )


def _element(subject: Subject, variable: str) -> str | None:
    """The canonical type of the elements of a reduced array, or of one of its cells."""
    name = variable.split("[")[0].strip()
    found = next((a.element for a in subject.kernel.arrays if a.name == name), None)
    return subject.declarations.canonical(found) if found is not None else None


def _total(subject: Subject, reduction: Reduction, free: Callable[[str], str]) -> Total:
    name, operator = reduction.variable, reduction.operator
    if operator not in (*_NEUTRAL, "min", "max"):
        raise Refusal(f"{name} is combined with {operator}, not + * min or max (--with deterministic)")
    ctype = next(s.ctype for s in subject.kernel.scalars if s.name == name)
    return Total(name, ctype, operator, free(f"{name}_before"), free(f"{name}_parts"))


def _clauses(subject: Subject, loop: SplitLoop, rounded: list[Reduction]) -> list[str]:
    """Of the loop over the parts: what has one result in any order may be reduced as ever."""
    private = (*loop.private, *(reduction.variable for reduction in rounded))
    exact = tuple(r for r in subject.facts.reductions if r not in rounded)
    return [f"private({', '.join(dict.fromkeys(private))})", *openmp.reduction_clauses(exact)]


def _vectors(subject: Subject, loop: SplitLoop, rounded: list[Reduction]) -> tuple[str, ...]:
    """The sums of a loop that holds no other and has nothing else of its own."""
    alone = set(loop.private) <= {loop.iterator} and list(subject.facts.reductions) == rounded
    inner = {"for", "while", "do", "if"} & words_in(loop.body)
    return tuple(openmp.reduction_clauses(rounded)) if alone and not inner else ()
