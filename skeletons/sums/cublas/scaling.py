"""What becomes of an element around the loops that sum: `alpha` times the sum, `beta` times what it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pycparser import c_ast
from pycparser.c_parser import CParser, ParseError

from skeletons.kernel.context import Subject
from skeletons.sums.cublas.numbers import Numbers, Scale, is_zero
from skeletons.sums.tiled_reduction import Accumulation
from skeletons.sums.tiled_reduction.names import plain_types
from species.core.refusal import Refusal
from species.source.syntax.expressions import text_of
from species.source.text.code import code_tokens

Part = Literal["old", "sum"]
Form = Mapping[Part, Scale]  # a value as a sum of these; empty: zero


@dataclass(frozen=True)
class Scaling:
    """`cell = alpha * sum + beta * cell`; beta None: the old value does not matter."""

    cell: Any  # the element
    alpha: Scale
    beta: Scale | None


def scaling(subject: Subject, found: Accumulation, numbers: Numbers) -> Scaling:
    """What the iteration does beside the sum; Refusal where that is more than to scale."""
    before, after = (list(_statements(subject, text)) for text in (found.before, found.after))
    cell = _cell(found, [*before, *after])
    walk = _Walk(numbers, found, {text_of(cell): {"old": Scale()}})
    walk.run(before)
    start = walk.values.get(found.target)
    if start is None:
        raise Refusal(f"nothing tells from what {found.target} starts")
    walk.values[found.target] = {**start, "sum": Scale()}
    walk.run(after)
    end = walk.values[text_of(cell)]
    if "sum" not in end:
        raise Refusal(f"the sum does not end up in {text_of(cell)}")
    return Scaling(cell, end["sum"], end.get("old"))


def _statements(subject: Subject, text: str) -> Iterator[tuple[Any, str, Any]]:
    """Target, operator and value of each assignment."""
    words = [token.text for token in code_tokens(plain_types(text, subject.declarations))]
    try:
        unit = CParser().parse("void f(void)\n{\n" + " ".join(words) + "\n}")
    except (ParseError, AssertionError):
        raise Refusal("what stands around the sum does not parse") from None
    for node in unit.ext[0].body.block_items or []:
        match node:
            case c_ast.Decl(type=c_ast.TypeDecl(), init=init):
                if init is not None:
                    yield c_ast.ID(node.name), "=", init
            case c_ast.Assignment():
                yield node.lvalue, node.op, node.rvalue
            case _:
                raise Refusal("more than a sum is computed")


def _cell(found: Accumulation, statements: list[tuple[Any, str, Any]]) -> Any:
    """The element that gets the sum."""
    if not found.is_scalar:
        return found.statement.lvalue
    cells = [target for target, _, _ in statements if isinstance(target, c_ast.ArrayRef)]
    if len({text_of(cell) for cell in cells}) != 1:
        raise Refusal("the sum is not kept in one element of an array")
    return cells[0]


@dataclass
class _Walk:
    numbers: Numbers
    found: Accumulation
    values: dict[str, Form]  # of the element, and of the variable that sums

    def run(self, statements: list[tuple[Any, str, Any]]) -> None:
        for target, operator, value in statements:
            name = text_of(target)
            if name not in (*self.values, self.found.target):
                raise Refusal(f"{name} is computed, too")
            self._check_type(value)
            match operator:
                case "=":
                    self.values[name] = self._form(value)
                case "+=" | "-=" | "*=":
                    self.values[name] = self._form(c_ast.BinaryOp(operator[0], target, value))
                case _:
                    raise Refusal(f"{name} is updated with {operator}")

    def _check_type(self, value: Any) -> None:
        """Refusal where a value is not computed in the type of the elements."""
        others = {self.numbers.type_of(value)} & {"double"}
        if others - {self.found.element}:
            raise Refusal(f"`{text_of(value)}` is double, and its elements are {self.found.element}")

    def _form(self, node: Any) -> Form:
        if text_of(node) in self.values:
            return self.values[text_of(node)]
        match node:
            case c_ast.Constant() if is_zero(node):
                return {}
            case c_ast.UnaryOp(op="-"):
                return {part: scale.negated for part, scale in self._form(node.expr).items()}
            case c_ast.BinaryOp(op="+" | "-"):
                right = self._form(node.right)
                right = {p: s.negated for p, s in right.items()} if node.op == "-" else right
                return self._sum(node, self._form(node.left), right)
            case c_ast.BinaryOp(op="*"):
                for number, other in ((node.left, node.right), (node.right, node.left)):
                    scale = self.numbers.scale(number)
                    if scale is not None:
                        return {part: scale.times(own) for part, own in self._form(other).items()}
        raise Refusal(f"`{text_of(node)}` is neither the sum nor the old value, scaled")

    def _sum(self, node: Any, left: Form, right: Form) -> Form:
        if set(left) & set(right):
            raise Refusal(f"`{text_of(node)}` has the same value twice")
        return {**left, **right}
