"""Argmins and argmaxes beside other reductions, and in several loops: every part of a loop has its own.

The parts are combined in their order, so that of equal extremes the loop keeps the one that one thread keeps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pycparser import c_ast

from skeletons.body.argmin import extremes
from skeletons.body.ordered_reductions import Ordered, Total
from skeletons.catalogue.passes import may_be_rounded
from skeletons.kernel.chunks import free_names, split_loop
from skeletons.kernel.context import Subject
from species.annotate import openmp
from species.core.refusal import NOT_APPLICABLE, Refusal
from species.facts.loops import Reduction


@dataclass(frozen=True)
class _Beside(Total):
    """What is set together with an extreme."""

    def joined(self, part: str) -> str:
        """Nothing: the extreme sees to it."""
        return ""


@dataclass(frozen=True)
class _Extreme(Total):
    """An extreme; a part in which nothing was found has the values from before the loop."""

    with_it: tuple[_Beside, ...] = ()
    keeps: str = "first"

    def joined(self, part: str) -> str:
        """The statement that takes a part in, if it has something better, or as good and later on."""
        sign = "<" if self.operator == "argmin" else ">"
        everything = (self, *self.with_it)
        test = f"{self.parts}[{part}] {sign} {self.name}"
        if self.keeps == "last":
            found = " || ".join(f"{each.parts}[{part}] != {each.before}" for each in everything)
            test = f"{self.parts}[{part}] {sign}= {self.name} && ({found})"
        sets = " ".join(f"{each.name} = {each.parts}[{part}];" for each in everything)
        return f"if ({test}) {{ {sets} }}"


@dataclass(frozen=True)
class _StructureExtreme(Total):
    """An extreme that is a `member` of a variable, with others that are set together with it; the first."""

    member: str = ""

    def joined(self, part: str) -> str:
        """The statement that takes a part in, if it has something better."""
        sign, value = "<" if self.operator == "argmin" else ">", f"{self.parts}[{part}]"
        return f"if ({value}.{self.member} {sign} {self.name}.{self.member}) {self.name} = {value};"


def in_parts(subject: Subject, asked: str, *, fixed: bool = False) -> Ordered:
    """The kernel in parts; Refusal says what stands in the way.  `asked`: C text, whether threads pay.

    `fixed`: the result must be the same on every run.
    """
    if not extremes(subject):
        raise Refusal(NOT_APPLICABLE)
    if subject.kernel.sharing_obstacle:
        raise Refusal(subject.kernel.sharing_obstacle)
    found = extremes(subject)
    alone = next((each.variable for each in found if not each.with_it), None)
    if alone is not None:  # `if (a[i] > a[best]) best = i`: parts would be told by their numbers
        raise Refusal(f"what {alone} is the place of has no variable")
    loop, free = split_loop(subject, nested=True), free_names(subject)
    others = tuple(r for r in subject.facts.reductions if not r.keeps)
    if fixed and (rounded := [r.variable for r in others if _is_rounded(subject, r.variable)]):
        raise Refusal(f"threads would combine {rounded[0]} as they come (--with deterministic)")
    totals = tuple(total for each in found for total in _totals(subject, each, free))
    private = dict.fromkeys((*loop.private, *(total.name for total in totals)))
    clauses = [f"private({', '.join(private)})", *openmp.reduction_clauses(others)]
    return Ordered(
        loop=loop,
        free=free,
        totals=totals,
        clauses=(*clauses, *([f"if({asked})"] if asked else [])),
        vectors=(),
        schedule="dynamic",  # there are few parts, and some may have more to do than others
    )


def _totals(subject: Subject, extreme: Reduction, free: Callable[[str], str]) -> tuple[Total, ...]:
    if "." in extreme.variable:
        return (_of_structure(subject, extreme, free),)
    types = {scalar.name: scalar.ctype for scalar in subject.kernel.scalars}
    names = (extreme.variable, *extreme.with_it)
    for name in names:
        if name not in types:
            raise Refusal(f"{name} is no variable of its own")
    strange = next((name for name in extreme.with_it if _is_rounded(subject, name)), None)
    if extreme.keeps == "last" and strange is not None:
        raise Refusal(f"it could not be told whether {strange} has been set: it may be no number")
    made = [(name, types[name], "", free(f"{name}_before"), free(f"{name}_parts")) for name in names]
    beside = tuple(_Beside(*each) for each in made[1:])
    name, ctype, _, before, parts = made[0]
    return (_Extreme(name, ctype, extreme.operator, before, parts, beside, extreme.keeps), *beside)


def _of_structure(subject: Subject, extreme: Reduction, free: Callable[[str], str]) -> Total:
    name, _, member = extreme.variable.partition(".")
    if extreme.keeps == "last":
        raise Refusal(f"it could not be told whether {name} has been set: members may be no numbers")
    if name in subject.redeclared or name in subject.macro_names(subject.span.of(subject.text)):
        raise Refusal(f"{name} is used under another name, or another {name} is declared")
    declared = getattr(getattr(subject.declaration(name), "type", None), "type", None)
    if isinstance(declared, c_ast.IdentifierType):
        ctype = " ".join(declared.names)
    elif isinstance(declared, c_ast.Struct) and declared.name:
        ctype = f"struct {declared.name}"
    else:
        raise Refusal(f"the type of {name} has no name")
    before, parts = free(f"{name}_before"), free(f"{name}_parts")
    return _StructureExtreme(name, ctype, extreme.operator, before, parts, member)


def _is_rounded(subject: Subject, name: str) -> bool:
    ctype = next((scalar.ctype for scalar in subject.kernel.scalars if scalar.name == name), "")
    return may_be_rounded(subject.declarations.canonical(ctype))
