"""Base loops: the largest set of loops of a perfect nest whose iterations may run in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pycparser import c_ast

from species.dependence.exact.dependence_test import carried
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.loops.model import Loop, Reference, inner_loops
from species.sets.conditions import Compare, leaves
from species.symbols.symbols import Symbol


def base_loops(judge: Judge, judgement: Judgement, judgements: dict[int, Judgement]) -> tuple[Loop, ...]:
    """The base loops of a nest whose outermost loop has `judgement`, outermost first.

    Loops in between that are not parallel are passed over where the loops inside them move outwards
    legally: no two different base iterations may then touch the same element.
    """

    def may(inner: Loop, _: Sequence[Loop]) -> bool:
        own = judgements[inner.number]
        free = own.is_parallel and not own.checks  # no test stands before an inner loop
        free = free and _arrays(own) <= _arrays(judgement)  # nor does it get copies of its own
        return free and same_reductions(judgement, own)

    return judgement.loop, *outermost(judge, perfect_chain(judgement.loop), may)


def outermost(
    judge: Judge, chain: Iterable[Loop], may: Callable[[Loop, Sequence[Loop]], bool]
) -> tuple[Loop, ...]:
    """The loops of a perfect nest that can be moved outwards, past those in between that cannot.

    `may` says whether a loop is wanted, given those chosen before it.
    """
    chosen: list[Loop] = []
    passed: list[Loop] = []
    for loop in chain:
        wanted = may(loop, chosen) and not _uses(loop, passed)
        if wanted and (not passed or _independent(judge, loop, passed)):
            chosen.append(loop)
            continue
        passed.append(loop)
        if not loop.counted:
            break
    return tuple(chosen)


def _arrays(judgement: Judgement) -> set[Symbol]:
    return {array.symbol for array in judgement.arrays}


def perfect_chain(loop: Loop) -> list[Loop]:
    """The loops inside that are, one by one, all that the loop around them does."""
    chain: list[Loop] = []
    while len(loop.children) == 1 and only_statement(loop.node.stmt) is loop.children[0].node:
        loop = loop.children[0]
        chain.append(loop)
    return chain


def only_statement(node: Any) -> Any:
    """What is left of a statement when braces around a single one are taken off."""
    while isinstance(node, c_ast.Compound):
        items = [i for i in node.block_items or [] if not isinstance(i, c_ast.EmptyStatement | c_ast.Pragma)]
        if len(items) != 1:
            return node
        node = items[0]
    return node


def same_reductions(a: Judgement, b: Judgement) -> bool:
    return {(r.operator, r.place) for r in a.reductions} == {(r.operator, r.place) for r in b.reductions}


def _uses(loop: Loop, others: list[Loop]) -> bool:
    """Does the loop's range depend on one of the others?"""
    numbers = {o.number for o in others}
    if loop.lower.loops & numbers:
        return True
    return any(isinstance(leaf, Compare) and leaf.expression.loops & numbers for leaf in leaves(loop.bound))


def _independent(judge: Judge, loop: Loop, passed: list[Loop]) -> bool:
    """No dependence between different iterations of `loop`, whatever the loops passed over do."""
    varying = inner_loops(passed[0])
    around = judge.references(passed[0])  # in terms that all the loops share
    references = [r for r in around if loop.number in r.loops and not r.place.is_variable]
    return not any(
        carried(loop, varying, a, b, judge.tests)
        for a in references
        for b in references
        if (a.write or b.write) and _same_object(a, b)
    )


def _same_object(a: Reference, b: Reference) -> bool:
    return a.symbol is b.symbol and a.place.base == b.place.base
