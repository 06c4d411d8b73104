"""isl's expressions as C text, with as few parentheses as C needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import islpy as isl

_OP = isl.ast_expr_op_type
MINIMUM, MAXIMUM, FLOOR = "cuvier_min", "cuvier_max", "cuvier_floor"
DEFINITIONS = {
    MINIMUM: f"static long {MINIMUM}(long a, long b)\n{{\n    return a < b ? a : b;\n}}\n",
    MAXIMUM: f"static long {MAXIMUM}(long a, long b)\n{{\n    return a > b ? a : b;\n}}\n",
    FLOOR: "/* a / b, rounded down also where a is negative; b > 0 */\n"
    f"static long {FLOOR}(long a, long b)\n{{\n    return a >= 0 ? a / b : -((-a + b - 1) / b);\n}}\n",
}
_BINARY = {  # operator, precedence (a larger one binds tighter)
    _OP.or_: ("||", 1), _OP.or_else: ("||", 1), _OP.and_: ("&&", 2), _OP.and_then: ("&&", 2),
    _OP.eq: ("==", 3), _OP.le: ("<=", 4), _OP.lt: ("<", 4), _OP.ge: (">=", 4), _OP.gt: (">", 4),
    _OP.add: ("+", 5), _OP.sub: ("-", 5), _OP.mul: ("*", 6), _OP.div: ("/", 6),
    _OP.pdiv_q: ("/", 6), _OP.pdiv_r: ("%", 6), _OP.zdiv_r: ("%", 6),
}  # fmt: skip
_UNARY, _ATOM = 7, 8
_NAME = re.compile(r"\w+(?:(?:\.|->)[A-Za-z_]\w*)*")  # of a variable or a member, or a number


class Expressions:
    """Prints isl expressions; `names` gives C texts for isl's iterators and for parameters."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def text(self, expression: isl.AstExpr) -> str:
        """The expression as C."""
        return self._text(expression)[0]

    def negated(self, expression: isl.AstExpr) -> str:
        """The negative of the expression as C."""
        return self._negative(expression)[0]

    def _negative(self, expression: isl.AstExpr) -> tuple[str, int]:
        """The negative without a sign in front, where a difference says the same."""
        operator = expression.get_op_type() if expression.get_type() == isl.ast_expr_type.op else None
        if operator in (_OP.add, _OP.sub):
            first, second = expression.get_op_arg(0), expression.get_op_arg(1)
            if operator == _OP.sub:
                return _sum(self._text(second), "-", self._text(first))
            if _is_negative(self._text(first)[0]):
                return _sum(self._negative(first), "-", self._text(second))
            if _is_negative(self._text(second)[0]):
                return _sum(self._negative(second), "-", self._text(first))
        if operator == _OP.minus:
            return self._text(expression.get_op_arg(0))
        return self._minus(self._text(expression))

    def _minus(self, part: tuple[str, int]) -> tuple[str, int]:
        text = part[0]
        if text.startswith("-") and text[1:].replace("_", "a").isalnum():
            return text[1:], _ATOM
        return ("0", _ATOM) if text == "0" else (f"-{_at(part, _UNARY + 1)}", _UNARY)

    def _text(self, expression: isl.AstExpr) -> tuple[str, int]:
        kind = expression.get_type()
        if kind == isl.ast_expr_type.int:
            value = expression.get_val().to_python()
            return str(value), _ATOM if value >= 0 else _UNARY
        if kind == isl.ast_expr_type.id:
            name = expression.get_id().get_name()
            text = self._names.get(name, name)
            if text.startswith("-") and text[1:].isidentifier():
                return text, _UNARY
            return text, _ATOM if _NAME.fullmatch(text) else 0
        return self._operation(expression)

    def _operation(self, expression: isl.AstExpr) -> tuple[str, int]:
        operator = expression.get_op_type()
        parts = [self._text(expression.get_op_arg(k)) for k in range(expression.get_op_n_arg())]
        if operator in _BINARY:
            sign, strength = _BINARY[operator]
            if sign in ("+", "-"):
                return _sum(parts[0], sign, parts[1])
            right = strength + (sign in ("-", "*", "/", "%"))
            return f"{_at(parts[0], strength)} {sign} {_at(parts[1], right)}", strength
        if operator == _OP.minus:
            return self._minus(parts[0])
        if operator in (_OP.min, _OP.max):
            return self._extreme(MINIMUM if operator == _OP.min else MAXIMUM, parts), _ATOM
        if operator in (_OP.select, _OP.cond):
            return f"({_at(parts[0], 1)} ? {parts[1][0]} : {parts[2][0]})", _ATOM
        if operator == _OP.fdiv_q:
            return f"{FLOOR}({parts[0][0]}, {parts[1][0]})", _ATOM
        raise ValueError(f"no C for {expression.to_C_str()}")

    def _extreme(self, name: str, parts: list[tuple[str, int]]) -> str:
        text = parts[0][0]
        for part in parts[1:]:
            text = f"{name}({text}, {part[0]})"
        return text


def _sum(left: tuple[str, int], sign: str, right: tuple[str, int]) -> tuple[str, int]:
    """`a + b` or `a - b`; a sign in front of `b` goes into the operator."""
    text, strength = right
    if _is_negative(text) and text[1:].replace("_", "a").isalnum():
        text, strength, sign = text[1:], _ATOM, "-" if sign == "+" else "+"
    return f"{_at(left, 5)} {sign} {_at((text, strength), 6 if sign == '-' else 5)}", 5


def _is_negative(text: str) -> bool:
    return text.startswith("-") and not text.startswith("--")


def _at(part: tuple[str, int], strength: int) -> str:
    """The text, in parentheses where it binds less tightly than that."""
    return part[0] if part[1] >= strength else f"({part[0]})"


_CALL = re.compile(rf"\b({MINIMUM}|{MAXIMUM})\(")


def written_out(text: str) -> str:
    """C in which minima and maxima are written as conditional expressions, which any analysis understands."""
    while found := list(_CALL.finditer(text)):
        call = found[-1]  # an innermost one
        parts = list(_arguments(text, call.end()))
        first, second = (text[start:end].strip() for start, end in parts)
        sign = "<" if call[1] == MINIMUM else ">"
        text = (
            f"{text[: call.start()]}({first} {sign} {second} ? {first} : {second}){text[parts[-1][1] + 1 :]}"
        )
    return text


def _arguments(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Where the arguments of a call are, of which the first begins at `start`."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "([") - (text[at] in ")]")
        if depth < 0 or (depth == 0 and text[at] == ","):
            yield start, at
            start = at + 1
        if depth < 0:
            return
