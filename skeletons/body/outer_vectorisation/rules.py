"""What a step of the inner loop may consist of, so that compilers make vectors of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from skeletons.body.outer_vectorisation.speculation import check_ahead
from skeletons.body.outer_vectorisation.types import (
    FUNCTIONS,
    LOGICAL,
    SIGNED,
    WIDE,
    check_conversion,
    is_held,
    target_of,
    type_of,
)
from species.core.refusal import Refusal
from species.source.syntax.expressions import FLOATS, common, subscripts

BRANCH = "gcc keeps a branch for a condition in its inner loop: {}"


@dataclass(frozen=True)
class Rules:
    """`types` are those of numbers by name, of elements by the name of their array; `arrays` are these."""

    types: Mapping[str, str]
    arrays: frozenset[str]

    def check_statement(self, node: Any, branch: bool = False) -> None:
        """Refusal for a statement that vectors cannot hold; with `branch`, a condition decides on it."""
        match node:
            case c_ast.Compound():
                for item in node.block_items or ():
                    self.check_statement(item, branch)
            case c_ast.ExprList():
                for item in node.exprs:
                    self.check_statement(item, branch)
            case c_ast.If():
                self.check(node.cond, branch)
                for part in (node.iftrue, node.iffalse):
                    if part is not None:
                        self.check_statement(part, True)
            case c_ast.Decl():
                self._check_declaration(node, branch)
            case c_ast.Assignment() | c_ast.UnaryOp(op="p++" | "p--" | "++" | "--"):
                self._check_write(node, branch)
            case c_ast.EmptyStatement():
                pass
            case _:
                raise Refusal("its inner loop does more than arithmetic")

    def _check_declaration(self, node: Any, branch: bool) -> None:
        if set(node.storage) | set(node.quals) > {"const"} or node.name not in self.types:
            raise Refusal(f"{node.name} is no number of a type that vectors hold")
        if node.init is not None:
            self.check(node.init, branch)
            self._check_conversion(node.init, self.types[node.name], branch)

    def _check_write(self, node: Any, branch: bool) -> None:
        place, value = (node.expr, None) if isinstance(node, c_ast.UnaryOp) else (node.lvalue, node.rvalue)
        if not isinstance(place, c_ast.ID) or place.name in self.arrays:
            raise Refusal("its inner loop writes memory")
        own = type_of(place, self.types)
        if value is None:
            self._check_floats(own, branch, node.op.strip("p"))
        elif node.op == "=":
            self.check(value, branch)
            self._check_conversion(value, own, branch)
        else:
            whole = c_ast.BinaryOp(node.op[:-1], place, value)
            self.check(whole, branch)
            self._check_conversion(whole, own, branch)

    def check_test(self, node: Any) -> None:
        """Refusal for a condition that cannot be tested bit by bit."""
        if isinstance(node, c_ast.BinaryOp) and node.op in LOGICAL:
            self.check_test(node.left)
            self.check_test(node.right)
            check_ahead(node.right, self.types)
        elif isinstance(node, c_ast.UnaryOp) and node.op == "!":
            self.check_test(node.expr)
        else:
            self.check(node)

    def check(self, node: Any, branch: bool = False) -> None:
        """Refusal for an expression that vectors cannot hold; with `branch`, a condition decides on it."""
        match node:
            case c_ast.ID() | c_ast.Constant():
                type_of(node, self.types)
            case c_ast.ArrayRef():
                self._check_read(node, branch)
            case c_ast.BinaryOp():
                self._check_operation(node, branch)
            case c_ast.UnaryOp(op="-" | "+" | "~" | "!"):
                self.check(node.expr, branch)
            case c_ast.Cast():
                self.check(node.expr, branch)
                self._check_conversion(node.expr, target_of(node, self.types), branch)
            case c_ast.TernaryOp():
                self._check_choice(node, branch)
            case c_ast.FuncCall(name=c_ast.ID(name=name)) if name in FUNCTIONS:
                self._check_call(node, branch)
            case _:
                raise Refusal("its inner loop does more than arithmetic")

    def _check_read(self, node: Any, branch: bool) -> None:
        if branch:
            raise Refusal(BRANCH.format("a read of memory"))
        if type_of(node, self.types) and any(isinstance(s, c_ast.ArrayRef) for s in subscripts(node)):
            raise Refusal("its inner loop reads through subscripts that it reads itself")
        for subscript in subscripts(node):
            self.check(subscript)

    def _check_operation(self, node: Any, branch: bool) -> None:
        self.check(node.left, branch)
        self.check(node.right, branch or node.op in LOGICAL)
        if node.op in LOGICAL:
            return
        left, right = type_of(node.left, self.types), type_of(node.right, self.types)
        both = left if node.op in ("<<", ">>") else common(left, right)
        for side in (node.left, node.right) if node.op not in ("<<", ">>") else ():
            self._check_conversion(side, both, branch)
        self._check_floats(both, branch, node.op)
        self._check_integers(node, both)

    def _check_floats(self, ctype: str, branch: bool, sign: str) -> None:
        """Compilers do not compute ahead with numbers with a point: it might raise a flag."""
        if branch and ctype in FLOATS:
            raise Refusal(BRANCH.format(f"`{sign}` of floating-point numbers"))

    def _check_conversion(self, node: Any, wanted: str, branch: bool) -> None:
        found = type_of(node, self.types)
        if isinstance(node, c_ast.Constant) or found == wanted:
            return  # the former's value is known when the program is compiled
        check_conversion(found, wanted)
        self._check_floats(found if found in FLOATS else wanted, branch, "conversion")

    def _check_integers(self, node: Any, ctype: str) -> None:
        if node.op in ("/", "%") and ctype not in FLOATS and not isinstance(node.right, c_ast.Constant):
            raise Refusal(f"vectors have no `{node.op}` for integers")
        if node.op in ("/", "%", ">>") and ctype in WIDE and ctype in SIGNED:
            raise Refusal(f"vectors have no `{node.op}` for {ctype}")

    def _check_choice(self, node: Any, branch: bool) -> None:
        self.check(node.cond, branch)
        both = type_of(node, self.types)
        for part in (node.iftrue, node.iffalse):
            self.check(part, True)
            self._check_conversion(part, both, True)

    def _check_call(self, node: Any, branch: bool) -> None:
        own = FUNCTIONS[node.name.name]
        for argument in node.args.exprs:
            self.check(argument, branch)
            self._check_conversion(argument, own, branch)
        self._check_floats(own, branch and "sqrt" in node.name.name, f"{node.name.name}()")


def check_types(types: Mapping[str, str], names: frozenset[str]) -> None:
    """Refusal for a type that vectors do not hold, of one of the names."""
    for name in sorted(names & types.keys()):
        if not is_held(types[name]):
            raise Refusal(f"{name} is {types[name]}, which vectors do not hold")
