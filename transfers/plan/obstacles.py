"""Why a function cannot leave data of its kernels on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from species.source.syntax.tree import walk
from transfers.plan.conditions import condition_start, is_still
from transfers.plan.functions import Function, statements

if TYPE_CHECKING:
    from transfers.plan.program import HostProgram

_ON_STACK = ("alloca", "__builtin_alloca", "__builtin_alloca_with_align")


class Obstacles:
    """Looks for statements before which memory cannot be asked for in time, or with which it goes away
    unseen.
    """

    def __init__(self, program: HostProgram) -> None:
        self._program = program

    def of(self, function: Function) -> str:
        """Why memory cannot be asked for in time in a function, or goes away unseen; empty: there is no
        reason.
        """
        body = function.node.body
        found = ((node, self._why(node, body) or self._why_inside(node, function)) for node in walk(body))
        return next(
            (f"{why} (line {self._program.unit.position(node.coord).line})" for node, why in found if why), ""
        )

    def _why(self, node: Any, body: Any) -> str:
        match node:
            case c_ast.For() | c_ast.While() | c_ast.DoWhile() if self._program.has_launch(node.stmt):
                if isinstance(node, c_ast.For) and any(map(self._is_memory, node.init or [])):
                    return "the header of a loop around kernels declares an array"
                if self._reads_memory(node):
                    return "the header of a loop around kernels reads memory"
            case c_ast.Switch() if _has_deep_case(node.stmt):
                return "a case label inside another statement skips the call that copies data"
            case c_ast.FuncCall() if getattr(node.name, "name", None) in _ON_STACK:
                return "memory on the stack (alloca) is freed without a call"
            case c_ast.CompoundLiteral():
                return "a compound literal ends without a call"
            case c_ast.StructRef() if _is_temporary(node):
                return "an array in a temporary value ends without a call"
            case c_ast.Label():
                return "a goto may skip the call that copies data"
            case c_ast.Case() | c_ast.Default() if any(map(self._is_unplaced, node.stmts or [])):
                return "a macro makes a statement beside kernels"
            case c_ast.Case() | c_ast.Default() if any(map(self._is_memory, node.stmts or [])):
                return "a block around kernels has arrays of its own"
            case c_ast.Compound() if self._program.has_launch(node):
                arrays = [item for item in node.block_items or [] if self._is_memory(item)]
                if arrays and node is not body:
                    return "a block around kernels has arrays of its own"
                if any(self._program.span(item) is None for item in arrays):
                    return "a macro declares an array"
        unplaced = statements(node) if self._program.has_launch(node) else []
        return "a macro makes a statement beside kernels" if any(map(self._is_unplaced, unplaced)) else ""

    def _reads_memory(self, loop: Any) -> bool:
        """Does a loop read memory for its next iteration, where no call can ask for it in time?"""
        touches = self._program.touches
        if isinstance(loop, c_ast.For) and any(True for _ in touches.of(loop.next)):
            return True
        if not any(True for _ in touches.of(loop.cond)):
            return False
        return not is_still(loop.cond) or condition_start(self._program.unit, loop) is None

    def _why_inside(self, node: Any, function: Function) -> str:
        inside = isinstance(node, c_ast.Compound) and id(node) not in function.statements
        return "kernels stand inside of an expression" if inside and self._program.has_launch(node) else ""

    def _is_unplaced(self, node: Any) -> bool:
        """Is there nothing before which text could be put, in a statement that needs it?"""
        if node is None or self._program.span(node) is not None:
            return False
        returns = any(isinstance(part, c_ast.Return) for part in walk(node))
        return returns or self._program.has_launch(node) or any(True for _ in self._program.touches.of(node))

    def _is_memory(self, item: Any) -> bool:
        """Does it declare memory that pointers of kernels may reach, for a block?"""
        symbol = self._program.symbol(item) if isinstance(item, c_ast.Decl) else None
        return symbol is not None and symbol.storage == "local" and self._program.is_reachable(symbol)


def _has_deep_case(node: Any, *, top: bool = True) -> bool:
    """Is there a `case` that is not one of the statements of its switch?"""
    if isinstance(node, c_ast.Switch):
        return False  # it has its own
    for child in node if node is not None else ():
        is_case = isinstance(child, c_ast.Case | c_ast.Default)
        if (is_case and not top) or _has_deep_case(child, top=top and is_case):
            return True
    return False


def _is_temporary(node: Any) -> bool:
    """Is it a part of the result of a call, or of another value that is no variable?"""
    while isinstance(node, c_ast.ArrayRef | c_ast.StructRef) and getattr(node, "type", ".") == ".":
        node = node.name
    return not isinstance(node, c_ast.ID | c_ast.UnaryOp | c_ast.StructRef | c_ast.ArrayRef)
