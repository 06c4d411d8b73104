"""Addresses of variables of which every thread has its own copy: `where[i] = &t` would be that of a copy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

from species.dependence.judgement import Judgement
from species.loops.model import FunctionModel
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol
from species.symbols.types import UNKNOWN, CType

# What these give is a part of what they are given.
_RETURNING = (
    *(
        "strcpy",
        "strncpy",
        "strcat",
        "strncat",
        "stpcpy",
        "stpncpy",
        "strchr",
        "strrchr",
        "strchrnul",
        "strstr",
    ),
    *(
        "strpbrk",
        "strtok",
        "strtok_r",
        "strsep",
        "memcpy",
        "memmove",
        "mempcpy",
        "memset",
        "memchr",
        "memrchr",
    ),
    *("memccpy", "memmem", "rawmemchr", "fgets", "gets", "bsearch", "index", "rindex", "strcasestr"),
)
_Parents = dict[int, Any]


def kept_address(judgement: Judgement, model: FunctionModel) -> str | None:
    """A variable that threads have copies of, and whose address the loop uses for more than to get there."""
    names = {symbol.name: symbol for symbol in _copied(judgement)}
    behind = {r.place.symbol for r in judgement.reductions if r.place.base is not None}
    parents = parents_in(judgement.loop.node)
    for node in walk(judgement.loop.node):
        symbol = names.get(node.name) if isinstance(node, c_ast.ID) else None
        if symbol is None or _is_member(node, parents):
            continue
        if is_kept(node, symbol, parents, model, behind=symbol in behind):
            return symbol.name
    return None


def _copied(judgement: Judgement) -> Iterator[Symbol]:
    yield from (*judgement.private, *judgement.lastprivate, *judgement.conditional, *judgement.linear)
    yield from (symbol for r in judgement.reductions for symbol in (r.place.symbol, *r.with_it))
    yield from (array.symbol for array in judgement.arrays)
    if judgement.loop.iterator is not None:
        yield judgement.loop.iterator


def parents_in(node: Any) -> _Parents:
    return {id(child): part for part in walk(node) for _, child in part.children()}


def _is_member(node: Any, parents: _Parents) -> bool:
    """Is it the name of a member, and of no variable?"""
    parent = parents.get(id(node))
    return isinstance(parent, c_ast.StructRef) and parent.field is node


def is_kept(
    node: Any, symbol: Symbol, parents: _Parents, model: FunctionModel, *, behind: bool = False
) -> bool:
    """Does an address of the variable that is named here go anywhere?  Or, `behind` a pointer, of what it
    leads to.
    """
    rank = _rank(symbol.ctype.target or UNKNOWN) + 1 if behind else _rank(symbol.ctype)
    parent = parents.get(id(node))
    while isinstance(parent, c_ast.ArrayRef | c_ast.StructRef) and parent.name is node:
        if isinstance(parent, c_ast.StructRef):
            rank = 0  # its type is not looked at: a member that is an array is left aside
        rank -= isinstance(parent, c_ast.ArrayRef)
        node, parent = parent, parents.get(id(parent))
    if isinstance(parent, c_ast.UnaryOp) and parent.op == "*":
        rank, node, parent = rank - 1, parent, parents.get(id(parent))
    if isinstance(parent, c_ast.UnaryOp) and parent.op == "sizeof":
        return False
    if isinstance(parent, c_ast.UnaryOp) and parent.op == "&":
        return goes_out(parent, parents, model)
    return rank > 0 and (behind or symbol.ctype.kind == "array") and goes_out(node, parents, model)


def _rank(ctype: CType) -> int:
    rank = 0
    while ctype.kind == "array" and ctype.target is not None:
        rank, ctype = rank + 1, ctype.target
    return rank


def goes_out(address: Any, parents: _Parents, model: FunctionModel) -> bool:
    """Is an address anything but followed, or given to a function that keeps none?"""
    parent = parents.get(id(address))
    while isinstance(parent, c_ast.Cast):
        address, parent = parent, parents.get(id(parent))
    if isinstance(parent, c_ast.UnaryOp) and parent.op == "sizeof":
        return False
    while isinstance(parent, c_ast.BinaryOp) and parent.op in ("+", "-") and parent.left is address:
        address, parent = parent, parents.get(id(parent))
    if isinstance(parent, c_ast.Decl) and isinstance(parent.type, c_ast.PtrDecl) and parent.init is address:
        block = parents.get(id(parent))  # `double *row = t + 3;`: what becomes of that?
        return not isinstance(block, c_ast.Compound) or is_used_as_value(block, parent.name, model)
    if isinstance(parent, c_ast.StructRef | c_ast.ArrayRef) or _is_followed(parent):
        part = _part(address, parents)
        taken = parents.get(id(part))
        return isinstance(taken, c_ast.UnaryOp) and taken.op == "&" and goes_out(taken, parents, model)
    call = parents.get(id(parent)) if isinstance(parent, c_ast.ExprList) else None
    if not isinstance(call, c_ast.FuncCall):
        return True
    inlining = model.inlined.get(id(call))
    if inlining is not None:
        given = next(k for k, argument in enumerate(call.args.exprs) if argument is address)
        return is_used_as_value(inlining.body, inlining.parameters[given].name, model)
    is_result = not isinstance(parents.get(id(call)), c_ast.Compound)
    return is_result and getattr(call.name, "name", "") in _RETURNING


def _part(address: Any, parents: _Parents) -> Any:
    """What an address is followed to, as far as that is plainly a part of what it is the address of."""
    part, parent = address, parents.get(id(address))
    while True:
        first, member = part is address, isinstance(part, c_ast.StructRef)
        is_member = isinstance(parent, c_ast.StructRef) and (first or parent.type == ".")
        is_element = isinstance(parent, c_ast.ArrayRef) and parent.name is part and not member
        if not (is_member or is_element or (first and _is_followed(parent))):
            return part
        part, parent = parent, parents.get(id(parent))


def _is_followed(node: Any) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op == "*"


def is_used_as_value(body: Any, name: str, model: FunctionModel) -> bool:
    """Does code do more with a pointer than to follow it, or to hand it to functions that do not?"""
    parents = parents_in(body)
    for node in walk(body):
        named = isinstance(node, c_ast.ID) and node.name == name and not _is_member(node, parents)
        if named and goes_out(node, parents, model):
            return True
    return False
