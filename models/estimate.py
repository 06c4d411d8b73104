"""About how much every loop of a file computes and moves, as its syntax tree and its facts show.

This is the boat hull model (Nugteren and Corporaal 2012) in small: operations and bytes of a species.  What a
species tells of an array counts; where there is none, subscripts do.  Sizes that only the run knows are
taken to be `UNKNOWN`.  These are figures to rank loops with, for one call of their function.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from pycparser import c_ast

from models.callgraph import times_called, with_loops
from models.indirect.accesses import chosen_by_data
from models.indirect.calls import IndirectCalls
from models.nests import LOOPS, MOST, FunctionLoops, Loop, executions
from models.operations import operations
from models.sizes.amounts import UNKNOWN, Amounts
from models.sizes.blocks import blocks_in
from models.sizes.headers import c_text, header_of
from models.sizes.typical_sizes import Typical
from models.sizes.values import enumerated, known_values
from models.touched import Reference, Sizes, references_in, touched
from species.facts.loops import LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.syntax.tree import walk

NO_SIZES: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True)
class Estimate:
    """Of a loop, in one call of its function: the sums over all its `executions`.

    `trips` is how many iterations one execution makes, in C, where the header tells.  `bytes` counts every
    cell that one execution touches once.  `operations` are those of called functions, too; `own` are those
    that no loop inside, and no called function with loops, makes.  `calls` is how often the function is
    called in a run of the program.  `assumed` are the names whose values are not known, and `sizes` those of
    them on which the loop's work hangs, with what they are taken for.

    For a device: of one execution, `parallel` iterations may run at the same time, and as species tell,
    `copied_in` bytes are copied before it and `copied_out` behind it, in `copies` pieces (of all executions,
    as the other sums).  `double`: with numbers of double precision.
    """

    trips: str | None
    iterations: float
    operations: float
    bytes: float
    own: float
    executions: float
    calls: float
    assumed: tuple[str, ...]
    sizes: tuple[tuple[str, float], ...]
    parallel: float
    copied_in: float
    copied_out: float
    copies: float
    double: bool


@dataclass(frozen=True)
class Program:
    """The functions of a file, what their names stand for, and how often they run."""

    functions: Mapping[str, FunctionLoops]
    called: Mapping[str, float]  # in one run of the program
    operations: Mapping[str, float]  # of one call
    with_loops: frozenset[str]  # functions of which a call runs a loop
    typical: Typical = field(default_factory=Typical)

    @staticmethod
    def of(ast: c_ast.FileAST, sizes: Mapping[str, float] = NO_SIZES) -> Program:
        """`sizes`: what the user says that names stand for, in whatever function."""
        nodes = [node for node in ast.ext if isinstance(node, c_ast.FuncDef)]
        values, typical = known_values(ast, UNKNOWN), Typical.of(ast, enumerated(ast, UNKNOWN))

        def amounts(node: c_ast.FuncDef) -> Amounts:
            name = node.decl.name
            known = {**values.get(name, {}), **sizes}
            found = Amounts(lambda _: None, UNKNOWN, known, typical=typical.values(name))
            return replace(found, chosen=chosen_by_data(node), blocks=blocks_in(node, known))

        pointers = IndirectCalls.of(ast)
        functions = {node.decl.name: FunctionLoops(node, amounts(node), pointers) for node in nodes}
        calls: dict[str, float] = {}
        callbacks = pointers.targets
        for node in nodes * 2:  # twice, as functions may be defined behind their calls
            counted = replace(amounts(node), trips=functions[node.decl.name].amounts.trips)
            calls[node.decl.name] = min(MOST, operations(node.body, counted, calls))
            own = (each for each, given in callbacks.items() if node.decl.name in given)
            calls |= {each: max(calls[node.decl.name], calls.get(each, 0.0)) for each in own}
        looping = with_loops(functions)
        looping |= {each for each, given in callbacks.items() if given & looping}
        called = times_called(functions, pointers.functions)
        return Program(functions, called, calls, looping, typical)


def estimates(unit: TranslationUnit, facts: UnitFacts, program: Program | None = None) -> dict[str, Estimate]:
    """By loop id; a loop that the tree does not show at its place has none."""
    program = program or Program.of(unit.ast)
    sizes = Sizes(unit.ast)
    found: dict[str, Estimate] = {}
    for name in program.functions:
        here = [loop for loop in facts.loops if loop.function == name]
        if here:
            found |= _of_function(unit, program, name, here, sizes)
    return found


def _of_function(
    unit: TranslationUnit, program: Program, name: str, facts: list[LoopFacts], sizes: Sizes
) -> dict[str, Estimate]:
    function, found = program.functions[name], dict[str, Estimate]()
    amounts, chains = function.amounts, function.chains
    references: dict[int, list[Reference]] = defaultdict(list)
    for reference in references_in(function.function.body, "r", (), chains):
        for loop in reference.around:
            references[id(loop.node)].append(reference)
    short = {n: 0.0 if n in program.with_loops else ops for n, ops in program.operations.items()}
    for node, loop_facts in loop_nodes(unit, function, facts):
        chain = chains[id(node)]
        cells = touched(chain[-1], loop_facts, references[id(node)], amounts, sizes)
        times = executions(chain[:-1])
        iterations = min(MOST, times * chain[-1].trips)
        found[loop_facts.id] = Estimate(
            trips=_known_trips(loop_facts) or _trips_text(node),
            iterations=iterations,
            operations=min(MOST, iterations * operations(node.stmt, amounts, program.operations)),
            bytes=min(MOST, times * cells.bytes),
            own=min(MOST, iterations * operations(node.stmt, amounts, short, loops=False)),
            executions=times,
            calls=program.called[name],
            assumed=tuple(sorted(amounts.taken)),
            sizes=tuple(sorted(function.sizes(node, program.operations).items())),
            parallel=_parallel(loop_facts, chain[-1], amounts),
            copied_in=min(MOST, times * cells.copied_in),
            copied_out=min(MOST, times * cells.copied_out),
            copies=min(MOST, times * cells.copies),
            double=cells.double,
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


def _parallel(facts: LoopFacts, loop: Loop, amounts: Amounts) -> float:
    """The iterations of one execution that may run at the same time."""
    if not facts.verdict.is_parallel:
        return 1.0
    inner = facts.kernel.loops[1:] if facts.kernel else ()
    counts = [loop.trips, *(amounts.of(each.trips) for each in inner if each.trips)]
    return min(MOST, math.prod(max(1.0, count) for count in counts))


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
