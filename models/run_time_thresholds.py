"""What generated code asks before threads start: are there as many iterations as pay?"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import prod

from pycparser import c_ast

from models.nests import LOOPS, FunctionLoops
from models.scope import Scope, enclosed
from models.sizes.extents import Extents
from models.sizes.headers import c_text
from species.facts.loops import LoopFacts
from species.source.syntax.tree import walk

FEWEST = 2  # iterations; below, the answer would hardly ever be no
_NAME = re.compile(r"[A-Za-z_]\w*")
LONGEST = 40  # characters of a factor


@dataclass(frozen=True)
class _Factor:
    """How many iterations a loop makes: a number, C text where the run knows better, and the most."""

    number: float
    text: str
    most: float


@dataclass(frozen=True)
class Question:
    """C text that says if a loop takes long enough; empty where it always does, or nobody can ask.

    Is that `met` where the sizes are what they are taken for?  `most`: arrays are declared for so many times
    the iterations that they are taken for, which are not enough; else None.
    """

    text: str
    met: bool
    most: float | None = None


def question(
    loop: LoopFacts,
    function: FunctionLoops,
    scope: Scope,
    seconds: float,
    least: float,
    extents: Extents,
    functions: Mapping[str, FunctionLoops],
) -> Question:
    """Asks if the loop of `scope`, which takes one core about `seconds`, takes `least` seconds.

    It asks for the iterations of the loop and of those inside that it spends its time in, which may be in one
    of the file's `functions` that it calls.
    """
    factors = [*_factors(loop, function, scope, extents)]
    trips, text = _longest_inside(scope.node.stmt, scope, functions) if len(factors) == 1 else (1.0, "")
    if text:
        factors.append(_Factor(trips, text, math.inf))
    asked = [factor for factor in factors if factor.text]
    made, most = prod(factor.number for factor in asked), prod(factor.most for factor in asked)
    needed = rounded(made * least / seconds) if seconds else math.inf
    text = _asked(factors, scope, seconds, least)
    return Question(text, made > needed, most / max(1.0, made) if text and most <= needed else None)


def row_question(
    loop: LoopFacts,
    function: FunctionLoops,
    scope: Scope,
    seconds: float,
    least: float,
    rows: frozenset[str],
    extents: Extents,
) -> tuple[float, str]:
    """What the loop takes for each of the rows that it uses, and C text that says if that is `least` seconds.

    The rows are as many as the iterations of the loop whose number has one of the names `rows`, if there is
    one, or else of the outermost.
    """
    factors = [*_factors(loop, function, scope, extents)]
    each_row = next((f for f in factors if rows & {*_NAME.findall(f.text)}), factors[0])
    seconds /= max(1.0, each_row.number)
    others = [factor for factor in factors if factor is not each_row]
    return seconds, _asked(others, scope, seconds, least)


def _longest_inside(
    node: c_ast.Node, scope: Scope, functions: Mapping[str, FunctionLoops]
) -> tuple[float, str]:
    """Of the calls in a statement of `scope`'s loop, the iterations of the longest loop: a number, and C text
    that says it before that loop; empty where that cannot be said.  (1, "") where no call has a loop.

    `rotate(x + i * n, n, 1)`, whose loop goes to `len - stride`, makes
    `n - 1`.
    """
    found = [(1.0, 1.0, "")]
    for call in (each for each in walk(node) if isinstance(each, c_ast.FuncCall)):
        callee = functions.get(call.name.name) if isinstance(call.name, c_ast.ID) else None
        outer = [chain[-1].node for chain in callee.chains.values() if len(chain) == 1] if callee else []
        if callee is None or not outer:
            continue
        loop = max(outer, key=lambda each: _total(each, callee))
        trips = callee.chains[id(loop)][-1].trips
        found.append((_total(loop, callee), trips, _told(call, loop, callee, scope)))
    _, trips, text = max(found, key=lambda each: (each[0], bool(each[2])))
    return trips, text


def _told(call: c_ast.FuncCall, loop: c_ast.Node, callee: FunctionLoops, scope: Scope) -> str:
    """The iterations of a callee's loop, with the arguments in the place of parameters."""
    function = callee.function
    text = Scope(scope.unit, function, loop).trips(loop)
    listed = function.decl.type.args
    names = [getattr(each, "name", None) or "" for each in listed.params] if listed else []
    given = dict(zip(names, call.args.exprs if call.args else [], strict=False))
    used = set(_NAME.findall(text))
    if not used or not used <= given.keys() or used & Scope(scope.unit, function, function.body).assigned:
        return ""
    if not all(scope.reads(given[name]) for name in used):
        return ""
    return _NAME.sub(lambda match: enclosed(c_text(given[match.group()])), text)


def _asked(factors: Sequence[_Factor], scope: Scope, seconds: float, least: float) -> str:
    asked = [factor for factor in factors if factor.text]
    each = seconds / max(1.0, prod(factor.number for factor in asked))
    return condition([factor.text for factor in asked], each, least, narrow=scope.has_short)


def _factors(loop: LoopFacts, function: FunctionLoops, scope: Scope, extents: Extents) -> Iterator[_Factor]:
    """Of the loop, and inwards along the longest loops."""
    texts = [each.trips or "" for each in loop.kernel.loops] if loop.kernel else []
    node: c_ast.Node | None = scope.node
    level = 0
    while node is not None:
        text = texts[level] if level < len(texts) else ""
        text = text if text and is_short(text) else scope.trips(node)
        trips = function.chains[id(node)][-1].trips
        yield _Factor(trips, text if _NAME.search(text) else "", extents.most(node))
        inner = [each for each in _next_loops(node.stmt) if id(each) in function.chains]
        node = max(inner, key=lambda each: _total(each, function), default=None)
        level += 1


def _total(node: c_ast.Node, function: FunctionLoops) -> float:
    """The iterations of a loop and of the longest ones inside."""
    inside = max((_total(each, function) for each in _next_loops(node.stmt)), default=1.0)
    return function.chains[id(node)][-1].trips * inside


def _next_loops(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The loops in a statement that stand in no other one there."""
    if isinstance(node, LOOPS):
        yield node
        return
    for _, child in node.children():
        yield from _next_loops(child)


def condition(factors: Sequence[str], seconds: float, least: float, *, narrow: bool = False) -> str:
    """C text that holds where as many iterations as the product of `factors` take `least` seconds.

    One of them takes about so many `seconds`.  Empty where they always do, or nobody can tell.  `narrow`:
    types may be too small for the number, of which compilers warn.
    """
    known = prod(int(factor) for factor in factors if factor.isdigit())
    unknown = [factor for factor in factors if not factor.isdigit()]
    wanted = least / (known * seconds) if known and seconds else 0
    if not unknown or wanted < FEWEST or not all(map(is_short, unknown)):
        return ""
    if len(unknown) == 1 and not narrow:
        return f"{unknown[0]} > {rounded(wanted)}"
    return f"(double){' * '.join(map(enclosed, unknown))} > {rounded(wanted)}"


def is_short(factor: str) -> bool:
    """Can a number of iterations stand in a question before a loop?"""
    return len(factor) <= LONGEST and not set("?&|<>\n") & set(factor.replace("->", "."))


def rounded(number: float) -> int:
    """For people to read: the next number of the kind 100, 200, 500, 1000."""
    powers = (int(10**k) for k in count())
    found: int = next(n for power in powers for n in (power, 2 * power, 5 * power) if n >= number)
    return found
