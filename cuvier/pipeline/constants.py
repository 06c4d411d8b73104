"""Constant propagation into nests: what a variable always is stands where it was named.

    int radius = 2;
    for (y = ..) for (x = ..) for (k = -radius; k <= radius; k++) ...

Compilers unroll the inner loop, and make vectors of those around it, as long as they see that number; they
lose sight of it once threads or a device share the nest, for then the variable is handed to a function of
its own.  Of a function that is called with several numbers compilers make copies; here, its nest becomes
several, `if (radius == 2) { .. } else { .. }`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from pycparser import c_ast

from cuvier.pipeline.base.stage import Again, Nest, Renewed, renewed
from models.hidden_constants import COPIES, LONGEST
from skeletons.catalogue.passes import CONSTANTS
from skeletons.kernel.chunks import can_stand_twice
from species.core.positions import Span
from species.facts.loops import KernelScalar, LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.syntax.tree import variables, walk
from species.source.text.edits import Edit, apply_edits

_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
_Numbers = Mapping[KernelScalar, int]


def with_constants(unit: TranslationUnit, facts: UnitFacts, again: Again) -> Renewed | None:
    """The file with numbers in place of variables in parallel nests whose iterations use small ones; None:
    nowhere.  `again` reads the file as if it read like a text, and analyses it.
    """
    return renewed(CONSTANTS, unit, facts, again, lambda refused: _nests(unit, facts, refused), _is_parallel)


def _nests(unit: TranslationUnit, facts: UnitFacts, refused: Collection[Span]) -> Iterator[Nest]:
    """The outermost parallel loops with such variables."""
    end = -1
    for loop in facts.loops:
        if loop.kernel is None or loop.users or loop.spans is None or loop.position.file != unit.source.path:
            continue
        whole = loop.spans.whole
        text = whole.of(unit.source.text)
        if whole.start < end or whole in refused or "#" in text:
            continue
        numbers = {s: s.number for s in loop.kernel.scalars if s.number is not None}
        always = {scalar: number for scalar, number in numbers.items() if abs(number) <= LONGEST}
        copies = _copies(loop, facts) if can_stand_twice(text) else []
        body = loop.spans.body  # what stands in the header makes no other code of it
        if copies or any(body.holds(place) for scalar in always for place in scalar.places):
            end = whole.end
            made = [_text(text, whole.start, {**always, **given}) for given in copies or [{}]]
            gone = [scalar for scalar in always if not _is_left(scalar.name, loop, unit, facts)]
            yield Nest(loop, {}, Edit(whole, _used(_chosen(made, copies), gone)))


def _copies(loop: LoopFacts, facts: UnitFacts) -> list[_Numbers]:
    """What parameters are, together, to which loops inside count: one of these in every call; none where
    there are too many.
    """
    inside = (each.spans.header for each in facts.loops if each.spans and each.id.startswith(f"{loop.id}."))
    headers = tuple(inside)
    scalars = [
        scalar
        for scalar in (loop.kernel.scalars if loop.kernel else ())
        if scalar.number is None
        and scalar.given
        and all(0 < number <= LONGEST for number in scalar.given)
        and any(header.holds(place) for place in scalar.places for header in headers)
    ]
    found = dict.fromkeys(zip(*(scalar.given for scalar in scalars), strict=True))
    return [dict(zip(scalars, each, strict=True)) for each in found] if len(found) <= COPIES else []


def _chosen(texts: list[str], copies: list[_Numbers]) -> str:
    """The text for what the parameters are; the last one is for the only numbers that are left."""
    tests = [" && ".join(f"{s.name} == {number}" for s, number in numbers.items()) for numbers in copies[:-1]]
    parts = [f"if ({test}) {{ {text} }} else " for test, text in zip(tests, texts, strict=False)]
    return "".join(parts) + (f"{{ {texts[-1]} }}" if parts else texts[-1])


def _is_left(name: str, loop: LoopFacts, unit: TranslationUnit, facts: UnitFacts) -> bool:
    """Is a variable read outside of such nests, too?  (Else compilers warn of it.)"""
    body = next(n.body for n in unit.ast.ext if isinstance(n, c_ast.FuncDef) and n.decl.name == loop.function)
    scope = _scope(name, loop, unit, body)
    sets = {id(n.lvalue) for n in walk(scope) if isinstance(n, c_ast.Assignment) and n.op == "="}
    named = [each for each in variables(scope) if each.name == name and id(each) not in sets]
    kernels = (each.kernel for each in facts.loops if each.function == loop.function and each.kernel)
    gone = {place for kernel in kernels for s in kernel.scalars if s.name == name for place in s.places}
    return len(named) > len(gone)


def _scope(name: str, loop: LoopFacts, unit: TranslationUnit, block: c_ast.Node) -> c_ast.Node:
    """The block that declares what a name means at a loop; the function's body, where it is a parameter."""
    found, around = block, block
    while True:
        inner = (
            child
            for _, child in around.children()
            if any(isinstance(n, _LOOPS) and unit.loop_position(n) == loop.position for n in walk(child))
        )
        around = next(inner, None)
        if around is None:
            return found
        if any(isinstance(child, c_ast.Decl) and child.name == name for _, child in around.children()):
            found = around


def _used(text: str, scalars: Sequence[KernelScalar]) -> str:
    named = "".join(f"(void){scalar.name}; " for scalar in scalars)
    return f"{{ {named}{text} }}" if named else text


def _text(text: str, start: int, numbers: _Numbers) -> str:
    """The nest, which stands at `start`, with numbers in it."""
    edits = [
        Edit(Span(place.start - start, place.end - start), _literal(scalar.ctype, number))
        for scalar, number in numbers.items()
        for place in scalar.places
    ]
    return apply_edits(text, sorted(edits, key=lambda edit: edit.span))


def _literal(ctype: str, number: int) -> str:
    text = str(number) if number >= 0 else f"({number})"
    return text if ctype == "int" else f"(({ctype}){text})"


def _is_parallel(loop: LoopFacts) -> bool:
    return loop.kernel is not None and loop.verdict.is_parallel
