"""Scans and packs (serial_classes.py names them) whose iterations nothing else ties together.

`s += a[i]; b[i] = s;` needs the sum of all terms before it, and `if (c) b[k++] = a[i];` the number of
elements taken before it; with these at hand, iterations run in any order.  So a term is looked for that says,
without running the iteration, what it adds to the variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast, c_generator

from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.dependence.reductions import Combined
from species.facts.loops import KernelPattern
from species.loops.model import Loop, Reference
from species.loops.walk import FileModel
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol
from species.symbols.update_idioms import Candidate, candidate, same

_OPERATORS = ("+", "*", "min", "max", "&", "|", "^")
_LEAVING = (c_ast.Break, c_ast.Continue, c_ast.Goto, c_ast.Label, c_ast.Return)


@dataclass(frozen=True)
class _Update:
    """An update, its place among the body's statements, and the condition that it stands under."""

    made: Candidate
    node: Any
    index: int
    condition: Any = None
    branch: tuple[Any, ...] = ()  # the statements under the condition


def found_pattern(
    judge: Judge, judgement: Judgement, kind: str, file: FileModel
) -> tuple[KernelPattern, Combined] | None:
    """What a loop of this serial class combines, and where; None where a term cannot be told for certain."""
    loop = judgement.loop
    others = judgement.reductions or judgement.linear or judgement.arrays or judgement.conditional
    if others or any(isinstance(n, _LEAVING) for n in walk(loop.node.stmt)):
        return None
    symbols = {f.symbol for f in judgement.findings}
    scalars = [s for s in symbols if s is not None and s.is_scalar and s.ctype.kind != "pointer"]
    if len(scalars) != 1 or None in symbols or (kind == "scan" and len(symbols) > 1):
        return None
    references = judge.references(loop)
    own = [r for r in references if r.symbol is scalars[0]]
    writes = [r for r in own if r.write]
    if len(writes) != 1 or not all(_is_named(r) for r in own):
        return None
    update = _update(loop.node.stmt, scalars[0].name, file)
    if update is None or not _is_pure(update, judge, judgement, references, scalars[0], file):
        return None
    packed = [s for s in symbols if s is not None and s is not scalars[0]]
    if kind == "pack" and not all(_is_packed(s, update, references, scalars[0]) for s in packed):
        return None
    if kind == "pack" and (not packed or update.condition is None or not _has_room(scalars[0], loop)):
        return None
    stored = tuple(sorted(s.name for s in packed if _is_before_step(s, update, references)))
    combined = Combined(update.made.operator, writes[0].place, writes[0].node)
    return _pattern(kind, update, scalars[0], stored), combined


def _has_room(counter: Symbol, loop: Loop) -> bool:
    """Has the counter another value whenever it says where an element is put?  (A ring goes round.)"""
    if not counter.ctype.wraps_around:
        return True
    return loop.iterator is not None and loop.iterator.ctype.bits <= counter.ctype.bits


def _is_named(reference: Reference) -> bool:
    """Does the loop itself name the variable there?  (A pointer, or a callee, would miss a thread's copy.)"""
    named = isinstance(reference.node, c_ast.ID) and reference.node.name == reference.symbol.name
    return named and reference.inlining is None and reference.place.is_variable


def _pattern(kind: str, update: _Update, symbol: Symbol, packed: tuple[str, ...]) -> KernelPattern:
    generator = c_generator.CGenerator()
    term = generator.visit(_term(update))
    if update.condition is not None:
        term = f"(({generator.visit(update.condition)}) ? ({term}) : 0)"
    return KernelPattern(kind, symbol.name, update.made.operator, term, update.condition is not None, packed)


# The update


def _update(body: Any, name: str, file: FileModel) -> _Update | None:
    """The one update of the variable, made in every iteration or under one `if`; None for all else."""
    found = list(_updates(_statements(body), name, file))
    if len(found) != 1 or found[0].made.operator not in _OPERATORS or _term(found[0]) is None:
        return None
    return None if found[0].condition is not None and found[0].made.operator != "+" else found[0]


def _updates(items: list[Any], name: str, file: FileModel) -> Iterator[_Update]:
    for index, item in enumerate(items):
        own = _made(item, name, file)
        yield from (_Update(made, node, index) for made, node in own)
        if isinstance(item, c_ast.If) and item.iffalse is None and not own:
            branch = tuple(_statements(item.iftrue))
            inner = [pair for statement in branch for pair in _made(statement, name, file)]
            yield from (_Update(made, node, index, item.cond, branch) for made, node in inner)


def _statements(body: Any) -> list[Any]:
    return (body.block_items or []) if isinstance(body, c_ast.Compound) else [body]


def _made(item: Any, name: str, file: FileModel) -> list[tuple[Candidate, Any]]:
    """The updates that a statement makes: itself, or as the subscript of what it assigns to, `b[k++] = e`."""
    nodes = [item]
    if isinstance(item, c_ast.Assignment) and isinstance(item.lvalue, c_ast.ArrayRef):
        nodes.append(item.lvalue.subscript)
    found = ((candidate(n, file.resolution.functions), n) for n in nodes)
    return [
        (c, n) for c, n in found if c and isinstance(c.targets[0], c_ast.ID) and c.targets[0].name == name
    ]


def _term(update: _Update) -> Any:
    """The expression that is combined into the variable; None where there is more to it."""
    made, node = update.made, update.node
    if made.operator in ("min", "max"):
        return made.operands[0] if len(made.operands) == 1 and not made.keeps else None
    if isinstance(node, c_ast.UnaryOp):
        return made.operands[0] if node.op in ("++", "p++") else None
    if node.op != "=":
        return node.rvalue if node.op == f"{made.operator}=" else None
    sides = (node.rvalue.left, node.rvalue.right) if isinstance(node.rvalue, c_ast.BinaryOp) else ()
    others = [side for side in sides if not same(side, node.lvalue)]
    return others[0] if len(others) == 1 and node.rvalue.op == made.operator else None


def _is_pure(
    update: _Update,
    judge: Judge,
    judgement: Judgement,
    references: Sequence[Reference],
    variable: Symbol,
    file: FileModel,
) -> bool:
    """Does the term have the value that it has in its place, computed before the iteration runs?"""
    parts = [part for part in (_term(update), update.condition) if part is not None]
    found = [node for part in parts for node in walk(part)]
    if any(_has_effects(node, file) for node in found):
        return False
    loop = judgement.loop
    first = update.index == 0 and (not update.branch or bool(_made(update.branch[0], variable.name, file)))
    written = {r.symbol for r in references if r.write}
    named = {file.resolution.symbols.get(id(n)) for n in found if isinstance(n, c_ast.ID)}
    changed = {s for s in named if s is not None and (s in written or judge.is_inside(s, loop))}
    changed -= {loop.iterator}
    moved = {r.symbol for r in references if r.write and r.place.is_variable}
    # An array may be read that the iteration writes later on, also through a pointer that stays where it is.
    stays = not any(s in moved or judge.is_inside(s, loop) for s in changed)
    return variable not in named and (first or not changed) and stays


def _has_effects(node: Any, file: FileModel) -> bool:
    """Does it assign, or call a function of the file's?  (Of others, devices have only mathematical ones.)"""
    if isinstance(node, c_ast.FuncCall):
        name = getattr(node.name, "name", None)
        return not isinstance(name, str) or name in file.resolution.functions
    steps = isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--")
    return steps or isinstance(node, c_ast.Assignment)


def _is_packed(array: Symbol, update: _Update, references: Sequence[Reference], counter: Symbol) -> bool:
    """Is the array assigned once where the counter moves on, at the place that the counter says?"""
    own = [r for r in references if r.symbol is array and (r.write or not r.place.is_variable)]
    if len(own) != 1 or not own[0].write or not isinstance(own[0].node, c_ast.ArrayRef):
        return False
    node = own[0].node
    subscript = node.subscript
    if isinstance(subscript, c_ast.UnaryOp):
        subscript = subscript.expr
    plain = isinstance(node.name, c_ast.ID) and isinstance(subscript, c_ast.ID)
    assigned = any(isinstance(s, c_ast.Assignment) and s.lvalue is node for s in update.branch)
    return plain and subscript.name == counter.name and assigned


def _is_before_step(array: Symbol, update: _Update, references: Sequence[Reference]) -> bool:
    """Is the cell written that the counter names before it moves on?"""
    node = next(r.node for r in references if r.symbol is array and r.write)
    if isinstance(node.subscript, c_ast.UnaryOp):
        return bool(node.subscript.op == "p++")
    order = [id(part) for statement in update.branch for part in walk(statement)]
    return order.index(id(node)) < order.index(id(update.node))
