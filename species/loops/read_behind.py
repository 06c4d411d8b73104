"""Is memory read on every way from a loop onwards, so that it may be read right before it, too?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pycparser import c_ast

from species.loops.model import FunctionModel, Loop, nested
from species.source.syntax.tree import subscripted, walk
from species.symbols.effect_table import library

JUMPS = (c_ast.Return, c_ast.Break, c_ast.Continue, c_ast.Goto, c_ast.Label)
_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
_RETURNING = ("pure", "errno", "reading", "output", "state")
_CHANGES = ("++", "--", "p++", "p--", "&")


def is_read_behind(model: FunctionModel, loop: Loop, name: str) -> bool:
    """Does the program read a member of what a variable leads to behind the loop, whenever it comes to it?

    Nothing on the way there ends the program or the function, or gives memory back to the system: it calls
    the file's own functions, and harmless ones of the library.
    """
    if not loop.counted or loop.inlined or any(each.ends_early or each.obstacles for each in nested(loop)):
        return False
    ways = Ways(model)
    return ways.return_(loop.node) and ways.read([*_behind(model.node.body, loop.node)], name)


class Ways:
    """What happens in some statements, and in the functions that they call; `model` knows these."""

    def __init__(self, model: FunctionModel) -> None:
        self._functions = model.callees
        self._returning: dict[str, bool] = {}

    def read(self, statements: Sequence[Any], name: str) -> bool:
        """Is a member of what the variable leads to read in any case, before the program may go elsewhere?"""
        for position, statement in enumerate(statements, 1):
            if isinstance(statement, c_ast.Compound):
                return self.read([*(statement.block_items or ()), *statements[position:]], name)
            if not self.return_(statement):
                return False
            if reads_member(statement, name) or any(self._reads(each, name) for each in executed(statement)):
                return True
            if any(isinstance(node, JUMPS) for node in walk(statement)):
                return False
        return False

    def _reads(self, call: Any, name: str) -> bool:
        """Does a call do so with its parameter?"""
        function = self._functions.get(_called(call)) if isinstance(call, c_ast.FuncCall) else None
        if function is None or call.args is None or function.decl.type.args is None:
            return False
        pairs = zip(call.args.exprs, function.decl.type.args.params, strict=False)
        own = [getattr(declared, "name", None) for given, declared in pairs if is_name(given, name)]
        return any(
            each and _is_fixed(each, function.body) and self.read([function.body], each) for each in own
        )

    def return_(self, node: Any) -> bool:
        """Does every loop and every call in it end, and free nothing?"""
        return not any(
            (isinstance(each, _LOOPS) and isinstance(each.cond, c_ast.Constant | None))
            or (isinstance(each, c_ast.FuncCall) and not self._returns(_called(each)))
            for each in walk(node)
        )

    def _returns(self, name: str) -> bool:
        if name in self._functions:
            if name not in self._returning:
                function, self._returning[name] = self._functions[name], False  # the answer for recursion
                self._returning[name] = function is not None and self.return_(function.body)
            return self._returning[name]
        known = library().get(name)
        return known is not None and known.kind in _RETURNING and not known.free


def _called(call: c_ast.FuncCall) -> str:
    return str(call.name.name) if isinstance(call.name, c_ast.ID) else ""


def _is_fixed(name: str, body: Any) -> bool:
    """Does a parameter keep its value in a function's body, and its name mean nothing else there?"""
    for node in walk(body):
        match node:
            case c_ast.Assignment(lvalue=target):
                changed = is_name(target, name)
            case c_ast.UnaryOp(op=operator, expr=target) if operator in _CHANGES:
                changed = is_name(target, name)
            case c_ast.Decl():
                changed = node.name == name
            case _:
                changed = False
        if changed:
            return False
    return True


def _behind(block: Any, node: Any) -> Iterator[Any]:
    """The statements that are executed behind a node, one after the other, as far as blocks tell."""
    around = [block]
    while around[-1] is not node:
        inner = next((c for c in around[-1] if any(part is node for part in walk(c))), None)
        if inner is None:
            return
        around.append(inner)
    for outer, inner in zip(around[-2::-1], around[:0:-1], strict=True):
        if isinstance(outer, c_ast.Compound):
            items = outer.block_items
            yield from items[next(k for k, item in enumerate(items) if item is inner) + 1 :]
        elif not isinstance(outer, c_ast.If):
            return


def reads_member(statement: Any, name: str) -> bool:
    """Does it read a member of what a pointer leads to, in any case?"""
    parts = executed(statement)
    return any(isinstance(n, c_ast.StructRef) and n.type == "->" and is_name(n.name, name) for n in parts)


def is_name(node: Any, name: str) -> bool:
    return isinstance(node, c_ast.ID) and node.name == name


def executed(node: Any) -> Iterator[Any]:
    """The parts of a statement that are evaluated whenever it is reached."""
    yield node
    match node:
        case c_ast.Compound():
            items = node.block_items or []
            jumping = (k for k, item in enumerate(items, 1) if any(isinstance(n, JUMPS) for n in walk(item)))
            parts = items[: next(jumping, len(items))]
        case c_ast.If() | c_ast.TernaryOp() | c_ast.Switch() | c_ast.While():
            parts = [node.cond]
        case c_ast.For():
            parts = [part for part in (node.init, node.cond) if part is not None]
        case c_ast.BinaryOp(op="&&" | "||"):
            parts = [node.left]
        case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef() as element):
            parts = [part.subscript for part in subscripted(element)]
        case (
            c_ast.UnaryOp(op="sizeof" | "_Alignof" | "&")
            | c_ast.Typedef()
            | c_ast.Typename()
            | c_ast.DoWhile()
        ):
            parts = []
        case c_ast.Case() | c_ast.Default():
            parts = []
        case _:
            parts = list(node)
    for part in parts:
        yield from executed(part)
