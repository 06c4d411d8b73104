"""What texts mean that a person wrote before a loop: integer expressions, and names of arrays.

They are evaluated with what is known where the loop begins: `N-1` is 99 where N is a macro, and `n` is 100
where it has just been set to that.  These are numbers of mathematics, as in species: casts do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pycparser import c_ast, c_generator
from pycparser.c_parser import CParser, ParseError

from species.core.memo import kept
from species.loops.model import Loop, PathStep, Pointer
from species.loops.walk import FileModel
from species.sets.affine import Affine, Value, constant, operation
from species.sets.conditions import Compare
from species.sets.domains import implied
from species.sets.products import product
from species.symbols.enumerations import constant_value
from species.symbols.symbols import Symbol
from species.symbols.types import LONG

MacroBody = Callable[[str], str | None]  # of a macro without parameters; None: the name is not one

_EXTREMES: Mapping[str, Callable[[int, int], int]] = {"min": min, "max": max}
_DEEPEST = 50  # macros within macros, and constants within constants


@dataclass(frozen=True)
class Object:
    """What a name leads to: an object, by its identity, and where in it the name's first element is."""

    identity: object
    path: tuple[PathStep, ...] = ()
    offset: Affine = field(default_factory=Affine)  # of the first subscript behind the path


class StatedValues:
    """Evaluates texts at one loop.  `macro` tells what macros are in force where a person wrote them; texts
    of our own name none.
    """

    def __init__(self, file: FileModel, loop: Loop, macro: MacroBody) -> None:
        self._file, self._loop, self._macro = file, loop, macro
        self._generator = c_generator.CGenerator()

    def number(self, text: str, *, by_hand: bool) -> Affine:
        """The value of an integer expression; what is not known is a value that only equals itself."""
        node = _parsed(text)
        return _opaque(text) if node is None else self._value(node, by_hand, 0)

    def same(self, one: Affine, other: Affine) -> bool:
        """Are two values equal wherever the loop is reached?"""
        distance = one - other
        if not distance.terms:
            return distance.constant == 0
        known = self._loop.conditions
        return all(implied(Compare(d), known) for d in (distance, -distance))

    def object(self, name: str) -> Object:
        """What the name of an array, or of a variable, means right before the loop."""
        symbol = self._symbol(name)
        if symbol is None:
            return Object(name)
        value = self._loop.entry.get(symbol)
        if isinstance(value, Pointer) and not value.place.loose and value.reach != "cell":
            place = value.place
            return Object((place.symbol, place.base), place.path, value.offset)
        return Object((symbol, None))

    def _symbol(self, name: str) -> Symbol | None:
        """The variable that the name means right before the loop."""
        local = self._loop.visible.get(name)
        return local if local is not None else self._at_file_level.get(name)

    @cached_property
    def _at_file_level(self) -> dict[str, Symbol]:
        symbols = self._file.resolution.symbols.values()
        return {symbol.name: symbol for symbol in symbols if symbol.scope is None}

    def _value(self, node: Any, by_hand: bool, depth: int) -> Affine:
        match node:
            case c_ast.Constant():
                number = constant_value(node, {})
                return _opaque(node.value) if number is None else constant(number)
            case c_ast.ID():
                return self._named(node.name, by_hand, depth)
            case c_ast.Cast():
                return self._value(node.expr, by_hand, depth)
            case c_ast.UnaryOp(op="-" | "+"):
                inner = self._value(node.expr, by_hand, depth)
                return -inner if node.op == "-" else inner
            case c_ast.BinaryOp():
                operands = (self._value(side, by_hand, depth) for side in (node.left, node.right))
                return _combined(node.op, *operands)
            case c_ast.FuncCall(name=c_ast.ID()) if node.args is not None:
                arguments = [self._value(argument, by_hand, depth) for argument in node.args.exprs]
                return _called(node.name.name, arguments)
        return _opaque(self._generator.visit(node))

    def _named(self, name: str, by_hand: bool, depth: int) -> Affine:
        body = self._macro(name) if by_hand else None
        if body is not None:
            node = _parsed(body) if depth < _DEEPEST else None
            return _opaque(name) if node is None else self._value(node, by_hand, depth + 1)
        symbol = self._symbol(name)
        if symbol is None or symbol in self._loop.set_in_header:
            number = self._file.types.certain_constants().get(name) if symbol is None else None
            return _opaque(name) if number is None else constant(number)
        value = self._loop.entry.get(symbol)
        if isinstance(value, Affine):
            return value
        return self._initialiser(symbol, depth) or _opaque(name)

    def _initialiser(self, symbol: Symbol, depth: int) -> Affine | None:
        """The value of a constant of the file, `const int n = 100;`."""
        ctype, written = symbol.ctype, getattr(symbol.node, "init", None)
        fixed = ctype.const and not ctype.volatile and not symbol.replaceable and symbol.scope is None
        if not fixed or not ctype.is_integer or written is None or depth >= _DEEPEST:
            return None
        value = self._value(written, by_hand=False, depth=depth + 1)
        return value if value.is_constant else None


@kept(1000)
def _parsed(text: str) -> Any:
    """The expression that a text is; None if it is none."""
    try:
        unit = CParser().parse(f"int expression = ({text}\n);")
    except ParseError:
        return None
    found = unit.ext[0].init if len(unit.ext) == 1 and isinstance(unit.ext[0], c_ast.Decl) else None
    return None if isinstance(found, c_ast.ExprList) else found


def _opaque(text: str) -> Affine:
    """The value of a text of which nothing is known."""
    return Affine.of(Value(("stated", text), frozenset(), text, LONG))


def _combined(operator: str, left: Affine, right: Affine) -> Affine:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            multiplied = product(left, right)
            return operation("*", LONG, left, right) if multiplied is None else multiplied
    if left.is_constant and right.is_constant and left.constant >= 0 and right.constant >= 0:
        folded = _folded(operator, left.constant, right.constant)
        if folded is not None:
            return constant(folded)
    return operation(operator, LONG, left, right)


def _folded(operator: str, left: int, right: int) -> int | None:
    """The result for two numbers that are not negative."""
    match operator:
        case "/" | "%" if right:
            return left // right if operator == "/" else left % right
        case "<<" | ">>" if right < LONG.bits:
            return left << right if operator == "<<" else left >> right
    return None


def _called(name: str, arguments: list[Affine]) -> Affine:
    extreme = _EXTREMES.get(name)
    if extreme is not None and len(arguments) == 2:
        one, other = arguments
        if (one - other).is_constant:
            return one if extreme((one - other).constant, 0) == (one - other).constant else other
        arguments = sorted(arguments, key=repr)
    return operation(name, LONG, *arguments)
