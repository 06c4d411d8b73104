"""What macros write in a roundabout way: `do { ... } while (0)`, which is a block, and glibc's assertions,
`({ if (holds) ; else fail(); })`, which are `holds ? 0 : fail()`.
"""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species.source.parse.refusals import HOLDING_BLOCKS, breaks
from species.source.syntax.children import replace_child


def resolve_idioms(ast: c_ast.FileAST) -> None:
    """Replaces them in the bodies of functions."""
    pending: list[c_ast.Node] = [item for item in ast.ext if isinstance(item, c_ast.FuncDef)]
    while pending:
        parent = pending.pop()
        for name, child in parent.children():
            plain = _body(child) if isinstance(child, c_ast.DoWhile) else _choice(parent, child)
            if plain is not child:
                replace_child(parent, name, plain)
            pending.append(plain)


def _body(loop: c_ast.DoWhile) -> c_ast.Node:
    """What a loop with one iteration does; itself where something may jump to its end."""
    once = isinstance(loop.cond, c_ast.Constant) and loop.cond.value == "0"
    return loop.stmt if once and not breaks([loop.stmt], (c_ast.Break, c_ast.Continue)) else loop


def _choice(parent: c_ast.Node, node: Any) -> Any:
    """A block of nothing but `if (holds) ; else fail();` in an expression, as an expression."""
    is_value = isinstance(node, c_ast.Compound) and not isinstance(parent, HOLDING_BLOCKS)
    items = (node.block_items or []) if is_value else []
    if len(items) != 1 or not isinstance(items[0], c_ast.If):
        return node
    test = items[0]
    if not isinstance(test.iftrue, c_ast.EmptyStatement) or not isinstance(test.iffalse, c_ast.FuncCall):
        return node
    return c_ast.TernaryOp(test.cond, c_ast.Constant("int", "0", test.coord), test.iffalse, node.coord)
