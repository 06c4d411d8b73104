"""The functions of a file and their statements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pycparser import c_ast

from species.facts.loops import LoopFacts

LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)


@dataclass
class Function:
    """A function of the file; `kernels` are the loops in it that may become kernels, by the id of their
    nodes.
    """

    name: str
    node: c_ast.FuncDef
    kernels: dict[int, LoopFacts] = field(default_factory=dict)
    calls: list[c_ast.FuncCall] = field(default_factory=list)  # of functions of the file
    simple: set[int] = field(default_factory=set)  # ids of those calls that are a statement's whole work
    statements: set[int] = field(default_factory=set)  # ids of all but those inside expressions
    is_entry: bool = True  # may others call it than the file's own code?
    why: str = ""  # why nothing is left on the device after its kernels

    @property
    def is_closed(self) -> bool:
        """Is nothing left on the device after its kernels?"""
        return bool(self.why)


def statements(node: Any) -> list[Any]:
    """The statements that are parts of another."""
    match node:
        case c_ast.Compound():
            return node.block_items or []
        case c_ast.If():
            return [node.iftrue, node.iffalse]
        case c_ast.For() | c_ast.While() | c_ast.DoWhile() | c_ast.Switch() | c_ast.Label():
            return [node.stmt]
        case c_ast.Case() | c_ast.Default():
            return node.stmts or []
    return []


def all_statements(node: Any) -> Iterator[Any]:
    """A statement and all inside, but for those inside of expressions."""
    pending = [node]
    while pending:
        yield (statement := pending.pop())
        pending += (part for part in statements(statement) if part is not None)
