"""Is memory read on every way to a loop, so that it may be read once more right before it?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

from species.loops.callsites import is_fixed
from species.loops.model import FunctionModel, Loop, Place
from species.loops.read_behind import Ways, is_name, is_read_behind, reads_member
from species.loops.shifted import place_of
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol

_MEMORY = (c_ast.ArrayRef, c_ast.StructRef)


def is_read_in_any_case(model: FunctionModel, loop: Loop, pointer: Symbol) -> bool:
    """Does the function read a member of what a pointer leads to whenever it comes to the loop?

    The pointer is a parameter or a variable that is never changed.
    """
    name = pointer.name
    if not is_fixed(pointer) or not loop.sees(pointer) or _declarations(model, name) > 1:
        return False
    return _is_read_before(model, loop, pointer) or is_read_behind(model, loop, name)


def _is_read_before(model: FunctionModel, loop: Loop, pointer: Symbol) -> bool:
    """Is it read before the loop, or in its header, and what it leads to freed by nobody?"""
    body, name = model.node.body, pointer.name
    if any(isinstance(node, c_ast.Goto | c_ast.Label) for node in walk(body)):
        return False
    kept = Ways(model).return_(body) or (pointer.storage == "parameter" and _is_kept(model, name))
    before = (*_before(body, loop.node), *_header(loop, name))
    return kept and any(reads_member(statement, name) for statement in before)


def _is_kept(model: FunctionModel, name: str) -> bool:
    """Does the function give a parameter to nobody who frees what it leads to?"""
    bodies = (model.node.body, *(inlining.body for inlining in model.inlined.values()))
    nodes = [node for body in bodies for node in walk(body)]
    if any(isinstance(n, c_ast.Goto | c_ast.Label) or _frees(n) for n in nodes):
        return False
    return all(_stays(model, node, name) for node in walk(model.node.body))


def _declarations(model: FunctionModel, name: str) -> int:
    return sum(isinstance(n, c_ast.Decl) and n.name == name for n in walk(model.node))


def is_read_in_start(loop: Loop, place: Place) -> bool:
    """Does the loop read the place, in any case, when it sets its iterator: `for (k = start[c]; ...)`?"""
    start, read = getattr(loop.node, "init", None), [place_of(atom) for atom in loop.lower.atoms()]
    if start is None or place not in read or loop.inlined:
        return False
    nodes = [*walk(start)]
    if any(isinstance(n, c_ast.FuncCall | c_ast.TernaryOp) or _is_lazy(n) for n in nodes):
        return False
    # Each number that it starts from is one that it reads now: none comes of a variable that was set before.
    inside = {id(n.name) for n in nodes if isinstance(n, _MEMORY)}
    return sum(isinstance(n, _MEMORY) and id(n) not in inside for n in nodes) == len(read)


def _is_lazy(node: Any) -> bool:
    return isinstance(node, c_ast.BinaryOp) and node.op in ("&&", "||")


def _header(loop: Loop, name: str) -> Iterator[Any]:
    """What the loop's header evaluates in any case, where the name means the same there, until a call that
    might not return.
    """
    start = getattr(loop.node, "init", None)
    hides = isinstance(start, c_ast.DeclList) and any(each.name == name for each in start.decls)
    if hides or loop.inlined or loop.kind == "do":
        return
    for part in (start, loop.node.cond):
        if any(isinstance(node, c_ast.FuncCall) for node in walk(part or ())):
            return
        if part is not None:
            yield part


def _frees(node: Any) -> bool:
    return isinstance(node, c_ast.FuncCall) and getattr(node.name, "name", "") in ("free", "realloc")


def _stays(model: FunctionModel, node: Any, name: str) -> bool:
    """Does a node give the pointer to nobody, but to functions that are analysed in its place?"""
    if isinstance(node, c_ast.ID) or not any(is_name(child, name) for child in node):
        return True
    if isinstance(node, c_ast.StructRef):
        return True
    if isinstance(node, c_ast.ExprList):
        calls = (n for n in walk(model.node.body) if isinstance(n, c_ast.FuncCall) and n.args is node)
        return any(id(call) in model.inlined for call in calls)
    compares = isinstance(node, c_ast.BinaryOp) and node.op in ("==", "!=", "&&", "||")
    return compares or (isinstance(node, c_ast.UnaryOp) and node.op == "!")


def _before(block: Any, node: Any) -> Iterator[Any]:
    """What stands in the blocks around a node, and is executed before it is, whenever it is."""
    while block is not node:
        inner = next((c for c in block if any(part is node for part in walk(c))), None)
        if inner is None:
            return
        if isinstance(block, c_ast.Compound):
            items = block.block_items[: next(k for k, item in enumerate(block.block_items) if item is inner)]
            if not any(isinstance(item, c_ast.Case | c_ast.Default) for item in block.block_items):
                yield from items
        elif isinstance(block, c_ast.If | c_ast.While | c_ast.For | c_ast.Switch) and inner is not block.cond:
            first = block.init if isinstance(block, c_ast.For) else None
            yield from (part for part in (first, block.cond) if part is not None and part is not inner)
        block = inner
