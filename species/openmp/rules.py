"""What OpenMP asks of loops (OpenMP 5.0, section 2.9.1: canonical loop form; 2.9.2: collapse; 2.19: data)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pycparser import c_ast

from species.characterise.base_loops import only_statement
from species.dependence.judgement import Judgement
from species.dependence.privates import PrivateArray
from species.facts.loops import LoopFacts
from species.loops.invariants import LIMIT
from species.loops.model import FunctionModel, Loop, Place
from species.loops.modified import is_object
from species.openmp.addresses import kept_address
from species.openmp.counts import counts_safely
from species.openmp.elements import is_single
from species.openmp.existing_elements import exists, is_nonempty
from species.regions.hull import Regions
from species.sets.affine import Affine, Value, constant
from species.sets.conditions import Compare, leaves
from species.sets.domains import implied
from species.source.syntax.tree import variables, walk
from species.symbols.symbols import Symbol
from species.symbols.types import UNKNOWN

OPERATORS = ("+", "*", "-", "&", "|", "^", "&&", "||", "min", "max")
MAX_BYTES = 524_288  # of arrays that every thread keeps on its stack, of 2 MB and more


def openmp_obstacle(facts: LoopFacts, judgement: Judgement, model: FunctionModel) -> str:
    """Why `#pragma omp parallel for` may not stand before a parallel loop; an empty text: it may."""
    obstacle = sharing_obstacle(facts, judgement, model)
    if obstacle:
        return obstacle
    foreign = next((r for r in facts.reductions if r.operator not in OPERATORS), None)
    if foreign is not None:
        return f"OpenMP has no reduction '{foreign.operator}' (of '{foreign.variable}')"
    if not _reducible(facts, judgement, model):
        member = next((r.variable for r in facts.reductions if re.search(r"\.|->", r.variable)), None)
        if member is not None and "[" not in member:
            way_out = "add up in a variable, and store it behind the loop"
            return f"OpenMP has reductions of variables and arrays, not of the member '{member}': {way_out}"
        return "a reduction into a large array"
    kept = kept_address(judgement, model)
    if kept is not None:
        return f"every thread has a '{kept}' of its own, and the loop looks at its address"
    absent = _absent(facts, judgement, model)
    if absent is not None:
        way_out = "set it before the loop, or add up in a variable"
        return f"it touches '{absent}' even where no iteration does: {way_out}"
    if not _survives_conditions(judgement):
        return "where its conditions do not hold, private copies would be wrong"
    return private_obstacle(judgement, model)


def private_obstacle(judgement: Judgement, model: FunctionModel) -> str:
    """Why threads cannot have an array of their own that every iteration needs; an empty text: they can."""
    return next(filter(None, (_array_obstacle(a, judgement.loop, model) for a in judgement.arrays)), "")


def sharing_obstacle(facts: LoopFacts, judgement: Judgement, model: FunctionModel) -> str:
    """Why threads may not share the iterations of a loop, whatever these combine; an empty text: they may."""
    return changing_bound(judgement) or fixed_obstacle(facts, judgement) or changing_start(judgement, model)


def changing_bound(judgement: Judgement) -> str:
    """That the loop may write what its condition reads, which it does not where variables hold that."""
    if judgement.loop.assumed and judgement.overlaps:  # an `if` clause would fix the bound all the same
        return "it may write what its condition reads: copy the bound to its own variable before the loop"
    return ""


def changing_start(judgement: Judgement, model: FunctionModel) -> str:
    """As `changing_bound`, of its start."""
    if _may_change_start(judgement.loop, model):
        return "it may write what its start reads: copy the start to a variable of its own before the loop"
    return ""


def fixed_obstacle(facts: LoopFacts, judgement: Judgement) -> str:
    """As `sharing_obstacle`, of a loop that does not change its bound or start."""
    if not is_canonical(judgement.loop):
        return _not_canonical(judgement.loop)
    if not counts_safely(judgement.loop):
        return "gcc counts its iterations in its iterator's type, which may be too narrow: use a wider one"
    nameless = next((linear.variable for linear in facts.linear if not linear.step), None)
    if nameless is not None:
        return f"what an iteration adds to '{nameless}' has no name before the loop"
    copied = copied_in_header(judgement)
    if copied is not None:
        return f"its header reads '{copied}', of which every thread has a copy"
    called = _assigned_from_call(judgement)
    if called is not None:
        return f"gcc loses the last value of '{called}' where a call gives it: let another variable take it"
    return ""


def _not_canonical(loop: Loop) -> str:
    if loop.starts_with_effect:
        return "evaluating its start changes something: do so before the loop, into a variable of its own"
    if loop.strided:
        return "OpenMP divides by the step, which may be 0 where there is no iteration: test it before"
    if loop.kind == "for" or loop.iterator is None:
        return "its header is not in the form that OpenMP requires"
    name = loop.iterator.name
    return f"OpenMP takes 'for' loops only: let the header of one start, compare and step '{name}'"


def _array_obstacle(array: PrivateArray, loop: Loop, model: FunctionModel) -> str:
    name = array.symbol.name
    if array.symbol.ctype.kind == "pointer":
        return f"'{name}' points to memory of which every thread needs its own"
    if array.live and not _is_filled(array.symbol, loop, model):
        return f"the last content of '{name}' is needed after the loop, and the loop does not write all of it"
    size = array.symbol.ctype.element.bits // 8 or MAX_BYTES // 16  # a structure: room for sixteen of 4 KB
    for extent in model.extents.get(array.symbol, ()):
        if extent is None or not extent.is_constant:
            return f"the size of '{name}' is not constant, and every thread needs a copy on its stack"
        size *= extent.constant
    return "" if size <= MAX_BYTES else f"'{name}' is large, and every thread needs a copy on its stack"


def _is_filled(symbol: Symbol, loop: Loop, model: FunctionModel) -> bool:
    """Does every iteration write every element of the array?  (What it writes does not depend on which.)"""
    own = {loop.bound, Compare(Affine.of(loop.counter))}
    writes = [
        replace(r, conditions=tuple(c for c in r.conditions if c not in own))
        for r in model.references
        if r.write and r.symbol is symbol and loop.number in r.loops
    ]
    region = Regions(model, loop).hull(writes)
    extents = [str(e.constant) if e and e.is_constant else None for e in model.extents.get(symbol, ())]
    if region is None or not region.covered or len(region.ranges) != len(extents):
        return False
    return all(
        r.low == "0" and f"{int(r.high) + 1 if r.high.isdigit() else None}" == e
        for r, e in zip(region.ranges, extents, strict=True)
    )


def _may_change_start(loop: Loop, model: FunctionModel) -> bool:
    """May an iteration write memory that the header reads for the start?  Threads read it when they begin."""
    init = getattr(loop.node, "init", None)
    nodes = list(walk(init)) if init is not None else []
    follows = any(isinstance(n, c_ast.ArrayRef | c_ast.StructRef | c_ast.FuncCall) for n in nodes)
    follows = follows or any(map(_is_dereference, nodes))
    names = {n.name for n in nodes if isinstance(n, c_ast.ID) and n.name != _iterator_name(loop)}
    names = {name for name in names if not _is_place(loop.visible.get(name))}
    shared = {name for name in names if _is_reachable(loop.visible.get(name))}
    for write in model.references:
        if not write.write or loop.number not in write.loops or _is_apart(write.place, loop):
            continue
        is_variable = write.place.base is None  # not what a pointer leads to
        named = is_variable and write.symbol.name in names
        if follows or named or (shared and not is_object(write.symbol)):
            return True
    return False


def _is_place(symbol: Symbol | None) -> bool:
    """Does the name say where something is, which stays there?"""
    return symbol is not None and symbol.ctype.kind == "array" and symbol.storage != "parameter"


def _iterator_name(loop: Loop) -> str | None:
    return loop.iterator.name if loop.iterator else None


def _is_reachable(symbol: Symbol | None) -> bool:
    """May a pointer lead to the variable?  None: it is no variable of the function's own."""
    return symbol is None or symbol.address_taken or symbol.storage == "global"


def _is_apart(place: Place, loop: Loop) -> bool:
    """A variable that no pointer reaches, or a floating-point cell where the start is made of integers."""
    cell = place.ctype.element
    is_own = place.is_variable and not _is_reachable(place.symbol)
    return is_own or (cell.kind == "float" and not cell.may_alias and not loop.starts_from_fraction)


def _assigned_from_call(judgement: Judgement) -> str | None:
    """A variable that only some iterations write, one of them the result of a call.

    gcc (12, at least) does not see that such an assignment writes what is lastprivate(conditional).
    """
    names = {symbol.name for symbol in judgement.conditional}
    for node in walk(judgement.loop.node) if names else ():
        if isinstance(node, c_ast.Assignment) and isinstance(node.lvalue, c_ast.ID):
            has_call = any(isinstance(part, c_ast.FuncCall) for part in walk(node.rvalue))
            if has_call and node.lvalue.name in names:
                return str(node.lvalue.name)
    return None


def rounded(facts: LoopFacts, judgement: Judgement) -> tuple[str, ...]:
    """The sums and products of a loop that are no integers: another order rounds them in another way."""
    pairs = zip(judgement.reductions, facts.reductions, strict=True)
    return tuple(r.variable for c, r in pairs if r.operator in "+-*" and c.place.ctype.kind != "int")


def _reducible(facts: LoopFacts, judgement: Judgement, model: FunctionModel) -> bool:
    """Can OpenMP say the reductions?  Array sections live on the stack, so they must be small."""
    return all(
        c.is_scalar
        or (
            c.place.ctype.is_number
            and c.place.symbol.table is None
            and c.place.ctype.bits != 1  # threads' copies are combined, also with what nobody has set
            and (is_small(r.variable) or is_single(c, r, judgement, model))
        )
        for c, r in zip(judgement.reductions, facts.reductions, strict=True)
    )


def _absent(facts: LoopFacts, judgement: Judgement, model: FunctionModel) -> str | None:
    """What OpenMP would have copies of, and what need not be there if the loop adds nothing to it."""
    pairs = zip(judgement.reductions, facts.reductions, strict=True)
    parts = ((c, r) for c, r in pairs if not c.is_scalar)
    return next((r.variable for c, r in parts if not exists(c, r, judgement, model)), None)


def is_small(variable: str) -> bool:
    """A section of constant size that fits a thread's stack easily."""
    if ":" not in variable:
        return False
    lengths = [part.split(":")[1] for part in variable.replace("]", "").split("[")[1:]]
    total = 8
    for length in lengths:
        if not length.isdigit():
            return False
        total *= int(length)
    return total <= MAX_BYTES


def _survives_conditions(judgement: Judgement) -> bool:
    """Is the loop right where its conditions fail?  OpenMP makes private copies even then.

    A pointer must not reach what the copies stand for, nor may a reduction start from another value.
    """
    copied = {*judgement.private, *judgement.lastprivate, *judgement.conditional, *judgement.linear}
    copied |= {r.place.symbol for r in judgement.reductions} | {a.symbol for a in judgement.arrays}
    copied |= {judgement.loop.iterator} if judgement.loop.iterator else set()
    behind = {r.place.symbol for r in judgement.reductions if r.place.base is not None}
    overlapping = [r for pair in judgement.overlaps for r in pair]
    reached = {r.symbol for r in overlapping if r.place.base is None or r.symbol in behind}
    tested = (d for check in judgement.checks for d in check.dependences)
    reached |= {r.symbol for d in tested for r in (d.source, d.sink)}
    asked = any(r.conditions for r in judgement.reductions)
    return not copied & reached and (not asked or is_nonempty(judgement.loop))


def is_canonical(loop: Loop) -> bool:
    """`for (i = e; i < e; i += c)`: the header alone says how often, in a form OpenMP accepts."""
    node = loop.node
    stepped = loop.counted and loop.kind == "for" and loop.steps_in_header
    if loop.stride is not None and not _is_divided_by_safely(loop, loop.stride):
        return False
    if loop.iterator is not None and (loop.iterator.ctype.enumerated or loop.iterator.ctype.bits == 1):
        return False
    compares = _compares(node.cond, loop) and not _is_decided(loop) and not _is_cut(loop)
    compares = compares and not _is_limited(loop)
    return stepped and starts_in_header(node.init, loop) and compares


def _is_limited(loop: Loop) -> bool:
    """Is the iterator compared with a floating-point number?"""
    expressions = (leaf.expression for leaf in leaves(loop.bound) if isinstance(leaf, Compare))
    atoms = (atom for expression in expressions for atom in expression.atoms())
    return any(isinstance(atom, Value) and atom.key[0] == LIMIT for atom in atoms)


def _is_divided_by_safely(loop: Loop, stride: Affine) -> bool:
    """May OpenMP count the iterations before the loop?  It divides by the step even where there are none."""
    return is_nonempty(loop) or implied(Compare(stride - 1), loop.conditions)


def starts_in_header(init: Any, loop: Loop) -> bool:
    """Does the header set the iterator, and nothing else?  (Threads and kernels evaluate the start again.)"""
    if loop.starts_with_effect:
        return False
    name = loop.iterator.name if loop.iterator else None
    if isinstance(init, c_ast.DeclList):
        return len(init.decls) == 1 and init.decls[0].name == name
    is_plain = isinstance(init, c_ast.Assignment) and init.op == "=" and isinstance(init.lvalue, c_ast.ID)
    return is_plain and init.lvalue.name == name


def copied_in_header(judgement: Judgement) -> str | None:
    """A variable of which iterations have copies, and which the header reads: it might read such a copy."""
    loop = judgement.loop
    copies = [*judgement.private, *judgement.lastprivate, *judgement.conditional, *judgement.linear]
    copies += [symbol for c in judgement.reductions for symbol in (c.place.symbol, *c.with_it)]
    copies += [array.symbol for array in judgement.arrays]
    names = {symbol.name for symbol in copies}
    init = getattr(loop.node, "init", None)
    own = {loop.iterator.name} if loop.iterator else set()
    if isinstance(init, c_ast.Assignment):
        start = _first_named(init.rvalue, names | own)
    else:
        start = _first_named(init, names | own)  # `int i = i` reads the new variable
    rest = (_first_named(part, names) for part in (loop.node.cond, getattr(loop.node, "next", None)))
    return next(filter(None, (start, *rest)), None)


def _first_named(node: Any, names: set[str]) -> str | None:
    """The first identifier in an expression that is one of the names."""
    found = (n.name for n in variables(node)) if node is not None else ()
    return next((name for name in found if name in names), None)


def has_moving_bound(loop: Loop) -> bool:
    """Does the condition speak of another variable that every iteration moves?"""
    moving = {symbol.name for symbol in loop.steps}
    return any(n.name in moving for n in variables(loop.node.cond))


def _compares(condition: Any, loop: Loop) -> bool:
    """One relation between the iterator itself and something that does not change."""
    if not isinstance(condition, c_ast.BinaryOp) or condition.op not in ("<", "<=", ">", ">=", "!="):
        return False
    if condition.op == "!=" and not _meets_its_end(loop):
        return False
    name = loop.iterator.name if loop.iterator else None
    if has_moving_bound(loop) or loop.through_zero:
        return False
    sides = [isinstance(s, c_ast.ID) and s.name == name for s in (condition.left, condition.right)]
    return sides.count(True) == 1


def _meets_its_end(loop: Loop) -> bool:
    """Does `i != n` mean the same as `i < n`?  (OpenMP 5.0 allows it for steps of one, gcc from 9 on.)"""
    ctype = loop.iterator.ctype if loop.iterator else None
    may_wrap = ctype is None or (ctype.is_integer and ctype.unsigned)
    return abs(loop.step) == 1 and (not may_wrap or (loop.step > 0 and loop.lower == constant(0)))


def _is_decided(loop: Loop) -> bool:
    """Does the iterator's type alone decide the comparison (`unsigned i; i >= 0`)?  gcc then sees none."""
    if not isinstance(loop.bound, Compare) or loop.iterator is None or not loop.iterator.ctype.is_integer:
        return False
    low, high = loop.iterator.ctype.certain_range
    room = loop.bound.expression.substitute(lambda atom: constant(0) if atom == loop.counter else None)
    largest, smallest = loop.lower + room, loop.lower - room  # that go on: upwards, or downwards
    if largest.is_constant and loop.step > 0:
        return not low <= largest.constant < high
    return smallest.is_constant and loop.step < 0 and not low < smallest.constant <= high


def _is_cut(loop: Loop) -> bool:
    """May the bound lose its value in the iterator's type, to which gcc brings it before the loop?

    In C the comparison is that of the wider type: `unsigned char i; i < n` never holds where n is -1.
    """
    if loop.iterator is None or not isinstance(loop.bound, Compare) or not _is_compared_wider(loop):
        return False
    low, high = loop.iterator.ctype.certain_range
    room = loop.bound.expression.substitute(lambda atom: constant(0) if atom == loop.counter else None)
    beyond = room + (0 if loop.node.cond.op in ("<=", ">=") else 1)  # from the start to the bound itself
    if loop.step > 0:
        return not implied(Compare(loop.lower + beyond - low), loop.conditions)
    return not implied(Compare(beyond - loop.lower + high), loop.conditions)


def _is_compared_wider(loop: Loop) -> bool:
    """Is the iterator of a type that C widens for the comparison, to one that has other values below zero?"""
    ctype = loop.iterator.ctype if loop.iterator else UNKNOWN
    if not ctype.is_integer or ctype.bits < 32:
        return ctype.is_integer
    return ctype.unsigned and loop.compared.bits > ctype.bits and not loop.compared.unsigned


def collapse_depth(loop: Loop, base: tuple[Loop, ...], model: FunctionModel, facts: LoopFacts) -> int:
    """How many loops `collapse` may join: perfectly nested, rectangular, canonical, iterators dead after."""
    if facts.lastprivate_conditional or facts.linear:
        return 1
    depth, current = 1, loop
    for inner in base[1:]:
        joinable = only_statement(current.node.stmt) is inner.node
        joinable = joinable and not inner.assumed and is_canonical(inner) and counts_safely(inner)
        joinable = joinable and (all(map(is_nonempty, base[:depth])) or _is_evaluated_safely(inner.node))
        # Joined loops leave iterators alone if one makes no iteration, and gcc warns of the values after it.
        joinable = joinable and (not facts.lastprivate or all(map(is_nonempty, base[: depth + 1])))
        if not joinable or _uses_loops(inner, base[:depth]):
            break
        name = inner.iterator.name if inner.iterator else None
        if name is None or name in facts.lastprivate or has_pragma(current.node.stmt):
            break
        depth, current = depth + 1, inner
    return depth


def _is_evaluated_safely(node: Any) -> bool:
    """Does evaluating a header never trap?  `collapse` does so even where an outer loop is empty."""
    headers = (header for header in (node.init, node.cond, node.next) if header is not None)
    return not any(_may_trap(part) for header in headers for part in walk(header))


def _may_trap(node: Any) -> bool:
    if isinstance(node, c_ast.BinaryOp):
        return node.op in ("/", "%")
    if isinstance(node, c_ast.StructRef):
        return bool(node.type == "->")
    return isinstance(node, c_ast.ArrayRef | c_ast.FuncCall) or _is_dereference(node)


def _is_dereference(node: Any) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op == "*"


def has_pragma(node: Any) -> bool:
    return isinstance(node, c_ast.Compound) and any(
        isinstance(i, c_ast.Pragma) for i in node.block_items or []
    )


def _uses_loops(loop: Loop, outer: Sequence[Loop]) -> bool:
    """Do start or end depend on the outer iterators, or name them, as those of pointers may?"""
    numbers, named = {each.number for each in outer}, {each.iterator.name for each in outer if each.iterator}
    headers = (header for header in (loop.node.init, loop.node.cond, loop.node.next) if header is not None)
    if loop.lower.loops & numbers or any(v.name in named for header in headers for v in variables(header)):
        return True
    return any(isinstance(leaf, Compare) and leaf.expression.loops & numbers for leaf in leaves(loop.bound))
