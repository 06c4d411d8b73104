"""About how much every loop of a file computes and moves, as its syntax tree and its facts show.

This is the boat hull model (Nugteren and Corporaal 2012) in small: operations and bytes of a species.  What a
species tells of an array counts; where there is none, subscripts do.  Sizes that only the run knows are
taken to be `UNKNOWN`.  These are figures to rank loops with, for one call of their function.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from pycparser import c_ast

from models.amounts import UNKNOWN, Amounts
from models.callgraph import times_called, with_loops
from models.headers import c_text, header_of
from models.indirect_accesses import chosen_by_data
from models.nests import LOOPS, MOST, FunctionLoops, Loop, executions
from models.operations import operations
from models.typical_sizes import Typical
from models.values import enumerated, known_values
from species.facts.loops import LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.syntax.declarations import Declarations
from species.source.syntax.tree import walk

_SIZES = {"char": 1, "signed char": 1, "unsigned char": 1, "_Bool": 1, "short": 2, "unsigned short": 2}
_SIZES |= {"int": 4, "unsigned int": 4, "float": 4, "long double": 16}
_WORD = 8  # bytes of an element of any other type


@dataclass(frozen=True)
class Estimate:
    """Of a loop, in one call of its function: the sums over all its `executions`.

    `trips` is how many iterations one execution makes, in C, where the header tells.  `bytes` counts every
    cell that one execution touches once.  `operations` are those of called functions, too; `own` are those
    that no loop inside, and no called function with loops, makes.  `calls` is how often the function is
    called in a run of the program.  `assumed` are the names whose values are not known.
    """

    trips: str | None
    iterations: float
    operations: float
    bytes: float
    own: float
    executions: float
    calls: float
    assumed: tuple[str, ...]


@dataclass(frozen=True)
class _Reference:
    """An array that is read or written inside loops (outermost first), and the names in its subscripts."""

    array: str
    access: str
    names: frozenset[str]
    around: tuple[Loop, ...]

    def requests(self, loop: Loop) -> float:
        """How often one execution of `loop` makes it."""
        return executions(self.around[self.around.index(loop) :])

    def cells(self, loop: Loop) -> float:
        """That one execution of `loop` touches."""
        inner = self.around[self.around.index(loop) :]
        return math.prod(each.trips for each in inner if not each.iterator or each.iterator in self.names)


@dataclass(frozen=True)
class Program:
    """The functions of a file, what their names stand for, and how often they run."""

    functions: Mapping[str, FunctionLoops]
    called: Mapping[str, float]  # in one run of the program
    operations: Mapping[str, float]  # of one call
    with_loops: frozenset[str]  # functions of which a call runs a loop
    typical: Typical = field(default_factory=Typical)

    @staticmethod
    def of(ast: c_ast.FileAST) -> Program:
        nodes = [node for node in ast.ext if isinstance(node, c_ast.FuncDef)]
        values, typical = known_values(ast, UNKNOWN), Typical.of(ast, enumerated(ast, UNKNOWN))

        def amounts(node: c_ast.FuncDef) -> Amounts:
            name = node.decl.name
            known = dict(values.get(name, {}))
            suggested, chosen = typical.values(name), chosen_by_data(node)
            return Amounts(lambda _: None, UNKNOWN, known, typical=suggested, chosen=chosen)

        calls: dict[str, float] = {}
        for node in nodes * 2:  # twice, as functions may be defined behind their calls
            calls[node.decl.name] = min(MOST, operations(node.body, amounts(node), calls))
        functions = {node.decl.name: FunctionLoops(node, amounts(node)) for node in nodes}
        return Program(functions, times_called(functions), calls, with_loops(functions), typical)


def estimates(unit: TranslationUnit, facts: UnitFacts, program: Program | None = None) -> dict[str, Estimate]:
    """By loop id; a loop that the tree does not show at its place has none."""
    program = program or Program.of(unit.ast)
    sizes = _Sizes(unit.ast)
    found: dict[str, Estimate] = {}
    for name in program.functions:
        here = [loop for loop in facts.loops if loop.function == name]
        if here:
            found |= _of_function(unit, program, name, here, sizes)
    return found


def _of_function(
    unit: TranslationUnit, program: Program, name: str, facts: list[LoopFacts], sizes: _Sizes
) -> dict[str, Estimate]:
    function, found = program.functions[name], dict[str, Estimate]()
    amounts, chains = function.amounts, function.chains
    references: dict[int, list[_Reference]] = defaultdict(list)
    for reference in _references(function.function.body, "r", (), chains):
        for loop in reference.around:
            references[id(loop.node)].append(reference)
    short = {n: 0.0 if n in program.with_loops else ops for n, ops in program.operations.items()}
    for node, loop_facts in loop_nodes(unit, function, facts):
        chain = chains[id(node)]
        moved = _bytes(chain[-1], loop_facts, references[id(node)], amounts, sizes)
        times = executions(chain[:-1])
        iterations = min(MOST, times * chain[-1].trips)
        found[loop_facts.id] = Estimate(
            trips=_known_trips(loop_facts) or _trips_text(node),
            iterations=iterations,
            operations=min(MOST, iterations * operations(node.stmt, amounts, program.operations)),
            bytes=min(MOST, times * moved),
            own=min(MOST, iterations * operations(node.stmt, amounts, short, loops=False)),
            executions=times,
            calls=program.called[name],
            assumed=tuple(sorted(amounts.taken)),
        )
    return found


def loop_nodes(
    unit: TranslationUnit, function: FunctionLoops, facts: Iterable[LoopFacts]
) -> Iterator[tuple[c_ast.Node, LoopFacts]]:
    """The loops of a function with their facts; those of one place in their order."""
    places = defaultdict(list)
    for loop in facts:
        if loop.function == function.function.decl.name:
            places[loop.position].append(loop)
    for node in walk(function.function.body):
        here = places.get(unit.loop_position(node)) if isinstance(node, LOOPS) else None
        if here:
            yield node, here.pop(0)


def _references(
    node: c_ast.Node, access: str, around: tuple[Loop, ...], chains: dict[int, tuple[Loop, ...]]
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
    loop: Loop, facts: LoopFacts, references: list[_Reference], amounts: Amounts, sizes: _Sizes
) -> float:
    """What one execution touches: per array, read and written apart."""
    cells: dict[tuple[str, str], float] = defaultdict(float)
    for each in references:
        cells[each.array, each.access] = max(cells[each.array, each.access], each.cells(loop))
    for found in facts.characterisations:
        extents = [amounts.of(part.high) - amounts.of(part.low) + 1 for part in found.domain]
        # arrays that members lead to have other names in the tree: any reference may be to one
        own = [each for each in references if each.array == found.name] or references
        asked = sum(each.requests(loop) for each in own)
        touched = math.prod(max(1.0, extent) for extent in extents)
        empty = any(extent <= 0 for extent in extents)  # a difference of two guesses, which says nothing
        cells[found.name, found.access] = asked if asked and empty else min(touched, asked or touched)
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
    header = header_of(node)
    if header is None or header.first is None or header.test not in ("<", "<="):
        return None
    if not isinstance(header.tested, c_ast.ID):
        return None
    match header.next:
        case c_ast.UnaryOp(op="++" | "p++"):
            lower, end = c_text(header.first), c_text(header.end)
        case _:
            return None
    if lower == "1" and header.test == "<=":
        return end
    start = "" if lower == "0" else f" - {lower}" if lower.isalnum() else f" - ({lower})"
    high = f"({end})" if start and isinstance(header.end, c_ast.TernaryOp) else end
    return high + start + (" + 1" if header.test == "<=" else "")
