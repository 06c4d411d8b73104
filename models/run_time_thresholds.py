"""What generated code asks before threads start: are there as many iterations as pay?"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import prod

from pycparser import c_ast

from models.callgraph import longest_inside
from models.extents import Extents
from models.nests import LOOPS, FunctionLoops
from models.scope import Scope, enclosed
from species.facts.loops import LoopFacts

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
    trips, text = (
        longest_inside(scope.node.stmt, scope, functions, _total) if len(factors) == 1 else (1.0, "")
    )
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
        text = text if text and _is_short(text) else scope.trips(node)
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
    if not unknown or wanted < FEWEST or not all(map(_is_short, unknown)):
        return ""
    if len(unknown) == 1 and not narrow:
        return f"{unknown[0]} > {rounded(wanted)}"
    return f"(double){' * '.join(map(enclosed, unknown))} > {rounded(wanted)}"


def _is_short(factor: str) -> bool:
    return len(factor) <= LONGEST and not set("?&|<>\n") & set(factor.replace("->", "."))


def rounded(number: float) -> int:
    """For people to read: the next number of the kind 100, 200, 500, 1000."""
    powers = (int(10**k) for k in count())
    found: int = next(n for power in powers for n in (power, 2 * power, 5 * power) if n >= number)
    return found
