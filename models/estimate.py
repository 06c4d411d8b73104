"""About how much every loop of a file computes and moves, as its syntax tree and its facts show.

This is the boat hull model (Nugteren and Corporaal 2012) in small: operations and bytes of a species.  What a
species tells of an array counts; where there is none, subscripts do.  Sizes that only the run knows are
taken to be `UNKNOWN`.  These are figures to rank loops with, for one call of their function.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from pycparser import c_ast

from models.amounts import SOME, Amounts
from models.operations import c_text, first_value, operations, trip_count
from models.values import Values, known_values
from species.declarations import Declarations
from species.facts import LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.tree import walk

UNKNOWN = 1000.0  # iterations of a loop, and elements of a row, whose number nobody knows before the run
MOST = 1e30  # what any figure is cut at, so that none is infinite
_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
_SIZES = {"char": 1, "signed char": 1, "unsigned char": 1, "_Bool": 1, "short": 2, "unsigned short": 2}
_SIZES |= {"int": 4, "unsigned int": 4, "float": 4, "long double": 16}
_WORD = 8  # bytes of an element of any other type


@dataclass(frozen=True)
class Estimate:
    """Of a loop, in one call of its function: the sums over all its executions.

    `trips` is how many iterations one execution makes, in C, where the header tells.  `bytes` counts every
    cell that one execution touches once.  `assumed` are the names whose values are not known.
    """

    trips: str | None
    iterations: float
    operations: float
    bytes: float
    assumed: tuple[str, ...]


@dataclass(frozen=True)
class _Loop:
    """A loop of the tree; its iterator is empty where it is not counted."""

    node: c_ast.Node
    iterator: str
    trips: float


@dataclass(frozen=True)
class _Reference:
    """An array that is read or written inside loops (outermost first), and the names in its subscripts."""

    array: str
    access: str
    names: frozenset[str]
    around: tuple[_Loop, ...]

    def cells(self, loop: _Loop) -> float:
        """That one execution of `loop` touches."""
        inner = self.around[self.around.index(loop) :]
        return math.prod(each.trips for each in inner if not each.iterator or each.iterator in self.names)


def estimates(unit: TranslationUnit, facts: UnitFacts) -> dict[str, Estimate]:
    """By loop id; a loop that the tree does not show at its place has none."""
    functions = [node for node in unit.ast.ext if isinstance(node, c_ast.FuncDef)]
    values = known_values(unit.ast, UNKNOWN)
    calls: dict[str, float] = {}
    for function in functions * 2:  # twice, as functions may be defined behind their calls
        amounts = _amounts(values.get(function.decl.name, {}))
        calls[function.decl.name] = min(MOST, operations(function.body, amounts, calls))
    sizes = _Sizes(unit.ast)
    found: dict[str, Estimate] = {}
    for function in functions:
        here = [loop for loop in facts.loops if loop.function == function.decl.name]
        if here:
            amounts = _amounts(values.get(function.decl.name, {}))
            found |= _of_function(unit, function, here, calls, sizes, amounts)
    return found


def _amounts(values: Values) -> Amounts:
    return Amounts(lambda _: None, UNKNOWN, dict(values))


def _of_function(
    unit: TranslationUnit,
    function: c_ast.FuncDef,
    facts: list[LoopFacts],
    calls: dict[str, float],
    sizes: _Sizes,
    amounts: Amounts,
) -> dict[str, Estimate]:
    found: dict[str, Estimate] = {}
    references: dict[int, list[_Reference]] = defaultdict(list)
    matched = list(_matched(unit, function, facts))
    chains = {id(chain[-1].node): chain for chain in _chains(function.body, (), amounts)}
    for reference in _references(function.body, "r", (), chains):
        for loop in reference.around:
            references[id(loop.node)].append(reference)
    for node, loop_facts in matched:
        chain = chains[id(node)]
        moved = _bytes(chain[-1], loop_facts, references[id(node)], amounts, sizes)
        times = min(MOST, math.prod(loop.trips for loop in chain[:-1]))
        iterations = min(MOST, times * chain[-1].trips)
        work = min(MOST, iterations * operations(node.stmt, amounts, calls))
        found[loop_facts.id] = Estimate(
            _known_trips(loop_facts) or _trips_text(node),
            iterations,
            work,
            min(MOST, times * moved),
            tuple(sorted(amounts.taken)),
        )
    return found


def _matched(
    unit: TranslationUnit, function: c_ast.FuncDef, facts: list[LoopFacts]
) -> Iterator[tuple[c_ast.Node, LoopFacts]]:
    """The loops of a function with their facts; those of one place in their order."""
    places = defaultdict(list)
    for loop in facts:
        places[loop.position].append(loop)
    for node in walk(function.body):
        here = places.get(unit.loop_position(node)) if isinstance(node, _LOOPS) else None
        if here:
            yield node, here.pop(0)


def _chains(node: c_ast.Node, around: tuple[_Loop, ...], amounts: Amounts) -> Iterator[tuple[_Loop, ...]]:
    """Every loop below `node`, as the last of those around it."""
    for _, child in node.children():
        chain = around
        if isinstance(child, _LOOPS):
            chain = (*around, _loop(child, amounts))
            yield chain
        yield from _chains(child, chain, amounts)


def _loop(node: c_ast.Node, amounts: Amounts) -> _Loop:
    if isinstance(node, c_ast.For):
        trips = trip_count(node, amounts)  # which also gives the iterator the value in the middle
        return _Loop(node, first_value(node.init)[0] or "", min(MOST, trips))
    return _Loop(node, "", SOME)


def _references(
    node: c_ast.Node, access: str, around: tuple[_Loop, ...], chains: dict[int, tuple[_Loop, ...]]
) -> Iterator[_Reference]:
    """The arrays in `node`, which is read or written as `access` says."""
    match node:
        case c_ast.Assignment():
            yield from _references(node.lvalue, "w", around, chains)
            if node.op != "=":
                yield from _references(node.lvalue, "r", around, chains)
            yield from _references(node.rvalue, "r", around, chains)
        case c_ast.ArrayRef() | c_ast.UnaryOp(op="*"):
            below = list(walk(node))
            root = next((each.name for each in below if isinstance(each, c_ast.ID)), None)
            names = frozenset(each.name for each in below if isinstance(each, c_ast.ID))
            if root is not None and around:
                yield _Reference(root, access, names, around)
            for _, child in node.children():
                inside = child.children() if isinstance(child, c_ast.ArrayRef) else [("", child)]
                for _, part in inside:  # what subscripts read; `a[i]` in `a[i][j]` is no read of its own
                    yield from _references(part, "r", around, chains)
        case _:
            for _, child in node.children():
                chain = chains.get(id(child), around)
                yield from _references(child, "r" if chain is not around else access, chain, chains)


def _bytes(
    loop: _Loop, facts: LoopFacts, references: list[_Reference], amounts: Amounts, sizes: _Sizes
) -> float:
    """What one execution touches: per array, read and written apart."""
    cells: dict[tuple[str, str], float] = defaultdict(float)
    for each in references:
        cells[each.array, each.access] = max(cells[each.array, each.access], each.cells(loop))
    for found in facts.characterisations:
        extents = [amounts.of(part.high) - amounts.of(part.low) + 1 for part in found.domain]
        cells[found.name, found.access] = math.prod(max(1.0, extent) for extent in extents)
    return sum(min(MOST, count) * sizes.of(name) for (name, _), count in cells.items())


class _Sizes:
    """Bytes of an element, by the name of the variable; the first declaration of a name counts."""

    def __init__(self, ast: c_ast.FileAST) -> None:
        self._declarations = Declarations.of(ast)
        self._types: dict[str, c_ast.Node] = {}
        for item in ast.ext:
            if isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.FuncDecl):
                continue  # nothing that its parameters' names say holds for other variables
            for node in walk(item) if isinstance(item, c_ast.FuncDef | c_ast.Decl) else ():
                if isinstance(node, c_ast.Decl) and node.name:
                    self._types.setdefault(node.name, node.type)

    def of(self, name: str) -> int:
        kind = self._types.get(name)
        while isinstance(kind, c_ast.ArrayDecl | c_ast.PtrDecl):
            kind = kind.type
        names = getattr(getattr(kind, "type", None), "names", None)
        return _SIZES.get(self._declarations.canonical(" ".join(names)) or "", _WORD) if names else _WORD


def _known_trips(facts: LoopFacts) -> str | None:
    return facts.kernel.loops[0].trips if facts.kernel else None


def _trips_text(node: c_ast.Node) -> str | None:
    """How many iterations a plain `for` makes that counts up by one: `n`, `n - 1`, `hi - lo + 1`."""
    match node:
        case c_ast.For(
            cond=c_ast.BinaryOp(op="<" | "<=" as test, left=c_ast.ID(name=tested), right=end),
            next=c_ast.UnaryOp(op="++" | "p++", expr=c_ast.ID(name=moved)),
        ):
            name, lower = first_value(node.init)
            if not (name == tested == moved):
                return None
            if lower == "1" and test == "<=":
                return c_text(end)
            start = "" if lower == "0" else f" - {lower}" if lower.isalnum() else f" - ({lower})"
            high = c_text(end) if not start or not isinstance(end, c_ast.TernaryOp) else f"({c_text(end)})"
            return high + start + (" + 1" if test == "<=" else "")
    return None
