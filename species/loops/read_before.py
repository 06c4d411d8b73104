"""Is memory read on every way to a loop, so that it may be read once more right before it?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

from species.loops.callsites import is_fixed
from species.loops.model import FunctionModel, Loop, Place
from species.loops.shifted import place_of
from species.source.syntax.tree import subscripted, walk
from species.symbols.symbols import Symbol

_MEMORY = (c_ast.ArrayRef, c_ast.StructRef)


def is_read_before(model: FunctionModel, loop: Loop, parameter: Symbol) -> bool:
    """Does the function read a member of what the parameter points to, and give it to nobody who frees it?"""
    name = parameter.name
    if not is_fixed(parameter) or not loop.sees(parameter):
        return False
    bodies = (model.node.body, *(inlining.body for inlining in model.inlined.values()))
    nodes = [node for body in bodies for node in walk(body)]
    if any(isinstance(n, c_ast.Goto | c_ast.Label) or _frees(n) for n in nodes):
        return False
    if not all(_stays(model, node, name) for node in walk(model.node.body)):
        return False
    return any(
        isinstance(part, c_ast.StructRef) and part.type == "->" and _names(part.name, name)
        for statement in (*_before(model.node.body, loop.node), *_header(loop, name))
        for part in _executed(statement)
    )


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


def _names(node: Any, name: str) -> bool:
    return isinstance(node, c_ast.ID) and node.name == name


def _frees(node: Any) -> bool:
    return isinstance(node, c_ast.FuncCall) and getattr(node.name, "name", "") in ("free", "realloc")


def _stays(model: FunctionModel, node: Any, name: str) -> bool:
    """Does a node give the pointer to nobody, but to functions that are analysed in its place?"""
    if isinstance(node, c_ast.ID) or not any(_names(child, name) for child in node):
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


def _executed(node: Any) -> Iterator[Any]:
    """The parts of a statement that are evaluated in any case."""
    yield node
    match node:
        case c_ast.If() | c_ast.TernaryOp() | c_ast.Switch() | c_ast.While():
            parts = [node.cond]
        case c_ast.For():
            parts = [part for part in (node.init, node.cond) if part is not None]
        case c_ast.BinaryOp(op="&&" | "||"):
            parts = [node.left]
        case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef() as element):
            parts = [part.subscript for part in subscripted(element)]
        case c_ast.UnaryOp(op="sizeof" | "&") | c_ast.Typedef() | c_ast.Typename() | c_ast.DoWhile():
            parts = []
        case c_ast.Case() | c_ast.Default():
            parts = []
        case _:
            parts = list(node)
    for part in parts:
        yield from _executed(part)
