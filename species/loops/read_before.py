"""Is a structure read on every way to a loop, so that it may be read once more right before it?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

from species.loops.callsites import is_fixed
from species.loops.nest import FunctionModel, Loop
from species.loops.symbols import Symbol
from species.source.tree import walk


def is_read_before(model: FunctionModel, loop: Loop, parameter: Symbol) -> bool:
    """Does the function read a member of what the parameter points to, and give it to nobody who frees it?"""
    name = parameter.name
    if not is_fixed(parameter) or not loop.sees(parameter):
        return False
    given = (n for n in walk(model.node.body) if isinstance(n, c_ast.FuncCall) and _is_given(n, name))
    if any(id(call) not in model.inlined for call in given):
        return False
    return any(
        isinstance(part, c_ast.StructRef) and part.type == "->" and _names(part.name, name)
        for statement in _before(model.node.body, loop.node)
        for part in _executed(statement)
    )


def _names(node: Any, name: str) -> bool:
    return isinstance(node, c_ast.ID) and node.name == name


def _is_given(call: c_ast.FuncCall, name: str) -> bool:
    return any(_names(argument, name) for argument in (call.args.exprs if call.args else ()))


def _before(block: Any, node: Any) -> Iterator[Any]:
    """What stands in the blocks around a node, and is executed before it is."""
    while block is not node:
        if isinstance(block, c_ast.FuncDef):
            return
        for child in block:
            if any(part is node for part in walk(child)):
                block = child
                break
            if isinstance(block, c_ast.Compound | c_ast.If | c_ast.For | c_ast.While):
                yield child
        else:
            return


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
        case c_ast.UnaryOp(op="sizeof" | "&") | c_ast.Label() | c_ast.Typedef() | c_ast.Typename():
            parts = []
        case _:
            parts = list(node)
    for part in parts:
        yield from _executed(part)
