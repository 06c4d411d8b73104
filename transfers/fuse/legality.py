"""May two kernels become one?

Of memory the analyser decides, on the text with the fused loop: if its iterations may run in any order, no
iteration of the first loop touches what another iteration of the second one does, but for variables that
every iteration has for itself and for reductions.  Those are compared here: one loop that writes such a
variable before it reads it may hide that the second one reads what the first has left.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

from species.facts.loops import LoopFacts
from species.source import tokenize
from species.source.places import told_by_place
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol
from transfers.fuse.guards import mismatch
from transfers.fuse.headers import Header, Level, header, levels
from transfers.fuse.moving import stays
from transfers.fuse.names import words
from transfers.fuse.pairs import Neighbours, Surroundings
from transfers.fuse.text import between

_JUMPS = (c_ast.Label, c_ast.Goto, c_ast.Case, c_ast.Default)
_OWN = ("private", "lastprivate")


def obstacle(pair: Neighbours, around: Surroundings) -> str:
    """Why no text of a fused loop can be written; empty: it can."""
    text, region = around.unit.source.text, pair.region
    if "#" in region.of(text) or "%:" in region.of(text) or not _begins_statement(text[: region.start]):
        return "a preprocessor directive or macro is in between"
    if name := told_by_place(around.unit, region.of(text)):
        return f"'{name}' would mean something else"
    statements = (pair.first.node, *pair.staying, pair.second.node)
    if any(isinstance(n, _JUMPS) for statement in statements for n in walk(statement)):
        return "there is a label in them"
    if any(map(_leaves, pair.staying)):
        return "control may leave the statements between them"
    return stays(pair, around) or _left_over(pair, around) or mismatch(pair, around)


def _left_over(pair: Neighbours, around: Surroundings) -> str:
    """Does a macro stand between them?"""
    tokens = tokenize(between(pair, around))
    return (
        "a preprocessor directive or macro is in between"
        if any(token.kind != "comment" for token in tokens)
        else ""
    )


def not_together(pair: Neighbours, around: Surroundings) -> str:
    """Why no iteration of the second loop can follow one of the first in the same loop; empty: they can."""
    first, second = pair.first, pair.second
    if len(first.nodes) != len(second.nodes):
        return f"{len(first.nodes)} loops and {len(second.nodes)} around the bodies"
    if _continues(first.body):
        return "iterations of the first loop end early (continue)"
    return next(_clashes(pair, around), "")


def not_beside(pair: Neighbours, around: Surroundings) -> str:
    """Why the iterations of two loops cannot be those of one that follow one another; empty: they can."""
    kernels = (pair.first.kernel, pair.second.kernel)
    iterators = {loop.iterator for kernel in kernels for loop in kernel.loops if not loop.declared_inside}
    live = {name for part in (pair.first, pair.second) for name in part.facts.lastprivate}
    live |= {s.name for kernel in kernels for s in kernel.scalars if s.role == "lastprivate"}
    if live:
        return f"'{min(live)}' is read after them"
    clashing = (symbol.name for symbol in _shared(pair, around))
    found = next((n for n in clashing if n not in iterators and not _is_alike(pair, n)), "")
    return f"'{found}' carries a value from one loop to the other" if found else ""


def aligned(pair: Neighbours, around: Surroundings) -> list[tuple[Level, ...]]:
    """The ways in which the iterations of the loops can be put together, one level per base loop."""
    loops = (pair.first.kernel.loops, pair.second.kernel.loops)
    iterators = frozenset(loop.iterator for kernel in loops for loop in kernel)
    renamed: dict[str, str] = {}  # of the loops around
    ways: list[tuple[Level, ...]] = [()]
    for k in range(len(pair.first.nodes)):
        one = header(pair.first.nodes[k], loops[0][k], around.symbols, {})
        other = header(pair.second.nodes[k], loops[1][k], around.symbols, renamed)
        if one is None or other is None:
            return []
        ways = [(*way, level) for way in ways for level in _inside(way, one, other, iterators)]
        renamed = {**renamed, loops[1][k].iterator: loops[0][k].iterator}
    return [way for way in ways if not _moves_live(pair, way) and not _mixes_last(pair, way)]


def _inside(way: tuple[Level, ...], one: Header, other: Header, iterators: frozenset[str]) -> list[Level]:
    """How the next loops inwards can be put together."""
    shifts = {level.first.loop.iterator: level.shift for level in way if level.shift}
    moved = other.shifted(shifts)
    return levels(one, moved, iterators) if moved is not None else []


def refuted(fused: LoopFacts | None, loops: int, conditions: tuple[str, ...]) -> str:
    """Why the fused loop, as the analyser finds it, does not do what the two do; empty: it does.

    So many of its `loops` should be parallel.  `conditions` hold where it runs.
    """
    if fused is None or fused.kernel is None or not fused.verdict.is_parallel:
        return _said(fused) or "an iteration of one depends on another iteration of the other"
    if fused.kernel.obstacles:
        return fused.kernel.obstacles[0].message
    if len(fused.kernel.loops) < loops:
        return "fewer loops would be parallel"
    return "" if set(fused.conditions) <= set(conditions) else "it may touch the same memory under two names"


def _said(fused: LoopFacts | None) -> str:
    return fused.reasons[0].message if fused and fused.reasons else ""


def _begins_statement(before: str) -> bool:
    """Does a text end where a statement may begin?  No directive, nor a macro that may be one, ends it."""
    tokens = [token for token in tokenize(before) if token.kind != "comment"]
    return bool(tokens) and tokens[-1].text in ("{", "}", ";")


def _leaves(node: Any, inside: bool = False) -> bool:
    """May code go on somewhere else than behind it?"""
    if isinstance(node, c_ast.Return) or (isinstance(node, c_ast.Break | c_ast.Continue) and not inside):
        return True
    inside = inside or isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile)
    return any(_leaves(child, inside) for _, child in node.children())


def _continues(node: object) -> bool:
    """Is there a `continue` of the loop around a node?"""
    if isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile):
        return False
    children = [child for _, child in node.children()] if isinstance(node, c_ast.Node) else []
    return isinstance(node, c_ast.Continue) or any(map(_continues, children))


def _clashes(pair: Neighbours, around: Surroundings) -> Iterator[str]:
    """Variables and names that keep two loops from standing in one."""
    loops = zip(pair.first.kernel.loops, pair.second.kernel.loops, strict=True)
    iterators = [(a.iterator, b.iterator) for a, b in loops]
    firsts, seconds = (set(names) for names in zip(*iterators, strict=True))
    for symbol in _shared(pair, around):
        if (symbol.name, symbol.name) not in iterators and not _is_alike(pair, symbol.name):
            yield f"'{symbol.name}' carries a value from one loop to the other"
    level = {name: k for k, (name, _) in enumerate(iterators)}
    if any(level.get(name, k) != k for k, (_, name) in enumerate(iterators)):
        yield "their iterators have each other's names"
    for name in sorted(words(pair.second.nodes[0]) & firsts - seconds):
        yield f"'{name}' is the first loop's iterator, and the second one uses it for something else"


def _shared(pair: Neighbours, around: Surroundings) -> list[Symbol]:
    """The variables that both loops name and one of them changes."""
    one, other = (around.used(part.nodes[0]) for part in (pair.first, pair.second))
    changed = {s for part in (pair.first, pair.second) for s in around.written(part.nodes[0])}
    return sorted(one & other & changed, key=lambda symbol: symbol.name)


def _is_alike(pair: Neighbours, name: str) -> bool:
    """Has every iteration of both loops a variable for itself, or do all of them combine values in it?"""
    roles = [
        [(s.role, s.operator) for s in part.kernel.scalars if s.name == name]
        for part in (pair.first, pair.second)
    ]
    if any(len(found) != 1 for found in roles):
        return False
    (one, by), (other, by_other) = roles[0][0], roles[1][0]
    return (one in _OWN and other in _OWN) or (one == other == "reduction" and by == by_other)


def _mixes_last(pair: Neighbours, way: tuple[Level, ...]) -> bool:
    """Would a variable that is looked at after the loops have its value from the wrong one?"""
    if not any(level.guarded for level in way):
        return False
    names = [{s.name for s in part.kernel.scalars} for part in (pair.first, pair.second)]
    last = {s.name for p in (pair.first, pair.second) for s in p.kernel.scalars if s.role == "lastprivate"}
    return bool(names[0] & names[1] & last)


def _moves_live(pair: Neighbours, way: tuple[Level, ...]) -> bool:
    """Would an iterator that is looked at after the loops have another value?"""
    live = set(pair.first.facts.lastprivate) | set(pair.second.facts.lastprivate)
    for level in way:
        one, other = level.first.loop, level.second.loop
        same = (one.iterator, one.declared_inside) == (other.iterator, other.declared_inside)
        if not same or level.shift or level.guarded:
            outside = {loop.iterator for loop in (one, other) if not loop.declared_inside}
            if outside & live:
                return True
    return False
