"""Evaluates C expressions symbolically, and records what they read and write."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

from pycparser import c_ast

from species.loops.environment import Known
from species.loops.model import Place, Pointer
from species.sets.affine import MAX_SIZE, Affine, Value, constant, divided, operation
from species.sets.conditions import Compare, Condition
from species.sets.domains import implied
from species.sets.modular import is_size, multiplied, unwrapped
from species.sets.products import product
from species.symbols.types import INT, LONG, LONG_DOUBLE, SIZE, UNKNOWN, CType
from species.symbols.update_idioms import same

Members = tuple[tuple[tuple[str, ...], Known], ...]  # names, from the outside inwards, and values


class Evaluated(NamedTuple):
    """A value (None: not an integer or pointer, or not known) with its C type; those of members, too."""

    value: Known
    ctype: CType
    members: Members = ()


NOTHING = Evaluated(None, UNKNOWN)
_numbers = count()


_LITERALS = (INT, CType("int", "unsigned", 32, True), LONG, CType("int", "unsigned long", 64, True))


def integer_constant(text: str) -> Evaluated:
    """A C integer literal of the first type that holds it (C11 6.4.4.1p5); ValueError: none does."""
    body = text.lower().rstrip("ul")
    suffix = text.lower()[len(body) :]
    base = 16 if body.startswith("0x") else 2 if body.startswith("0b") else 8 if body.startswith("0") else 10
    value = int(body.replace("'", ""), base) if body not in ("0",) else 0
    for ctype in _LITERALS:
        signs = ctype.unsigned if "u" in suffix else base != 10 or not ctype.unsigned
        if signs and value <= ctype.value_range[1] and (ctype.bits == 64 or "l" not in suffix):
            return Evaluated(constant(value), ctype)
    raise ValueError(text)


def common_type(a: CType, b: CType) -> CType:
    """The usual arithmetic conversions, for two integer types (LP64)."""
    a, b = promoted(a), promoted(b)
    if a.bits == b.bits:
        return a if a.unsigned else b
    return a if a.bits > b.bits else b


def type_of_choice(a: CType, b: CType) -> CType:
    """The type of `c ? x : y`, for an x and a y of these types."""
    if a.is_integer and b.is_integer:
        return common_type(a, b)
    return b if a.is_integer or (a.kind == b.kind == "float" and b.bits > a.bits) else a


def promoted(ctype: CType) -> CType:
    return INT if ctype.bits < 32 else ctype


def convert(value: Affine, source: CType, target: CType, facts: tuple[Condition, ...]) -> Affine:
    """The value of `(target) value`: unchanged where it provably fits, opaque otherwise."""
    low, high = target.value_range if target == source else target.certain_range
    if value.is_constant and target.bits > 1 and target.value_range == target.certain_range:
        return constant((value.constant - low) % 2**target.bits + low)
    have_low, have_high = source.value_range
    fits_low = have_low >= low or implied(Compare(value - low), facts)
    if fits_low and (have_high <= high or implied(Compare(-value + high), facts)):
        return value
    return _undone(value, target) or operation(f"({target.text})", target, value)


def _undone(value: Affine, target: CType) -> Affine | None:
    """The m in `(int)(unsigned)m`: what was converted before, if the type holds all that it may be."""
    inner = unwrapped(value, target.bits) if target.bits > 1 else value
    atom = next(iter(inner.atoms()), None)
    if inner == value or not isinstance(atom, Value) or inner != Affine.of(atom) or atom.key[0] == "op":
        return None
    low, high = target.certain_range
    have_low, have_high = atom.ctype.value_range
    return inner if atom.ctype.is_integer and low <= have_low and have_high <= high else None


def fits(result: Evaluated, target: CType, facts: tuple[Condition, ...]) -> bool:
    """Does an integer keep its value when it is converted?"""
    value = result.value if isinstance(result.value, Affine) else operation("", result.ctype)
    return convert(value, result.ctype, target, facts) == value


def arithmetic(operator: str, left: Evaluated, right: Evaluated, facts: tuple[Condition, ...]) -> Evaluated:
    """`left operator right` for two integers."""
    if not isinstance(left.value, Affine) or not isinstance(right.value, Affine):
        return NOTHING
    if operator in ("<<", ">>"):
        ctype = promoted(left.ctype)
        a, b = convert(left.value, left.ctype, ctype, facts), right.value
    else:
        ctype = common_type(left.ctype, right.ctype)
        a = convert(left.value, left.ctype, ctype, facts)
        b = convert(right.value, right.ctype, ctype, facts)
    result = _exact(operator, a, b, facts)
    cuts = operator == "<<" and not _is_small_shift(b, ctype)
    if result is None or result.size > MAX_SIZE or not _fits(result, ctype, facts, cuts):
        result = operation(operator, ctype, a, b)
    return Evaluated(result, ctype)


def _is_small_shift(count: Affine, ctype: CType) -> bool:
    """Does `x << count` scale a number?  Larger ones cut bits off, in `x << 24 >> 24`: gcc allows that."""
    return count.is_constant and count.constant < ctype.bits // 2


def _fits(value: Affine, ctype: CType, facts: tuple[Condition, ...], cuts: bool = False) -> bool:
    """No wrap-around: signed overflow cannot happen in correct programs, all other (`cuts`) is proved."""
    if not ctype.unsigned and not cuts:
        return True
    if not implied(Compare(value - ctype.value_range[0]), facts):
        return False
    sizes = ctype.bits >= 64 and not cuts and _is_moderate(value)  # no object is larger
    return sizes or implied(Compare(-value + ctype.value_range[1]), facts)


def _is_moderate(value: Affine) -> bool:
    """Are there no numbers in it that only make sense where sums wrap around?"""
    small = all(abs(number) < 2**31 for number in (value.constant, *(c for _, c in value.terms)))
    return small and all(map(is_size, value.atoms()))


def _exact(operator: str, a: Affine, b: Affine, facts: tuple[Condition, ...]) -> Affine | None:
    match operator:
        case "+":
            return _rejoined(a + b)
        case "-":
            return a - b
        case "*":
            return multiplied(a, b)
        case "<<":
            return a.scaled(2**b.constant) if b.is_constant and 0 <= b.constant < 32 else None
        case ">>":
            ok = b.is_constant and 0 <= b.constant < 32
            if ok and a.is_constant:
                return constant(a.constant >> b.constant)
            return _quotient(a, 2**b.constant, False, facts) if ok else None
        case "/" | "%":
            if b.is_constant and b.constant > 0:
                found = _quotient(a, b.constant, operator == "%", facts)
                below = _quotient(-a, b.constant, operator == "%", facts) if found is None else None
                return -below if below is not None else found  # C truncates towards zero
        case "&":
            if a.is_constant and b.is_constant:
                return constant(a.constant & b.constant)
            for value, mask in ((a, b), (b, a)):
                if mask.is_constant and mask.constant >= 0 and (mask.constant & (mask.constant + 1)) == 0:
                    return _quotient(value, mask.constant + 1, True, facts)
    return None


def _rejoined(total: Affine) -> Affine:
    """A sum with a in place of `(a / b) * b + a % b`, which C has equal (C11 6.5.5p6)."""
    for rest, coefficient in total.terms:
        if isinstance(rest, Value) and rest.key[:2] == ("op", "%"):
            whole, part = rest.parts
            multiple = multiplied(operation("/", rest.ctype, whole, part), part)
            if multiple is not None and all(
                total.coefficient(a) == c * coefficient for a, c in multiple.terms
            ):
                return _rejoined(total + (whole - multiple - Affine.of(rest)).scaled(coefficient))
    return total


def _quotient(value: Affine, divisor: int, remainder: bool, facts: tuple[Condition, ...]) -> Affine | None:
    """C truncates towards zero: the same as flooring only for values that are not negative."""
    if remainder and not divisor & (divisor - 1) and divisor <= 2**31:
        total = unwrapped(value, 32)  # it does not matter whether a sum has wrapped around
        value = total if implied(Compare(total), facts) else value
    if value.is_constant and value.constant < 0:
        quotient = -(-value.constant // divisor)
        return constant(value.constant - quotient * divisor if remainder else quotient)
    if all(c % divisor == 0 for c in (value.constant, *(c for _, c in value.terms))):
        return divided(value, divisor, remainder)  # there is nothing to round
    return divided(value, divisor, remainder) if implied(Compare(value), facts) else None


def moved(pointer: Pointer, by: Affine) -> Pointer:
    return replace(pointer, offset=pointer.offset + by)


def loosened(pointer: Pointer, target: CType | None = None) -> Pointer:
    """A pointer into the same object, nobody knows where (after a cast, or out of an inner row)."""
    place = Place(pointer.place.symbol, (), pointer.place.base, pointer.place.ctype, loose=True)
    return Pointer(place, Affine(), target or pointer.target)


def viewed(pointer: Pointer, target: CType | None) -> Pointer:
    """A pointer to another type at the same byte, by whose number it is known where that can be told."""
    found, place = loosened(pointer, target), pointer.place
    start = place.byte if place.loose else Affine() if not place.path and pointer.reach == "array" else None
    size = byte_size(pointer.target)
    if start is None or size is None:
        return found
    return replace(found, place=replace(found.place, byte=start + pointer.offset.scaled(size)))


def byte_size(ctype: CType) -> int | None:
    """How many bytes a number has; `void` counts in bytes, too (GNU C)."""
    if ctype.kind == "void":
        return 1
    return ctype.bits // 8 if ctype.is_number and ctype.bits % 8 == 0 and ctype.bits else None


def address(place: Place) -> Pointer:
    """The pointer `&place`."""
    last = place.path[-1] if place.path else None
    if place.loose:
        return replace(
            loosened(Pointer(place, Affine(), place.ctype)), place=replace(place, flat=None, row=None)
        )
    if not isinstance(last, Affine):
        return Pointer(place, Affine(), place.ctype, reach="cell")
    row = replace(place, path=place.path[:-1])
    return Pointer(row, last, place.ctype, "row" if is_row(row) else "array")


def is_row(array: Place) -> bool:
    """Is it one of several rows, which a pointer may leave for the next?  A member of a structure is none."""
    members = [k for k, step in enumerate(array.path) if isinstance(step, str)]
    return any(isinstance(step, Affine) for step in array.path[members[-1] + 1 if members else 0 :])


def distance(a: Pointer, b: Pointer) -> Affine | None:
    """`a - b`, in elements.  C compares and subtracts pointers into the same array only."""
    if a.place.loose or b.place.loose or not is_same_type(a.target, b.target):
        return None
    if a.place == b.place:
        return a.offset - b.offset
    if "cell" in (a.reach, b.reach):
        return None
    first, second = sorted((a.place, b.place), key=repr)
    loops, size = first.loops | second.loops, 1 + first.size + second.size
    between = Value(("distance", first, second), loops, "distance", LONG, "pointers", size=size)
    return Affine.of(between, 1 if first is a.place else -1) + a.offset - b.offset


Lengths = Callable[[Any, Any], bool]  # are arrays with these size expressions of one length?


def _one_text(a: Any, b: Any) -> bool:
    return a is b or (a is not None and b is not None and same(a, b))


def is_same_type(a: CType, b: CType, of_one_length: Lengths = _one_text) -> bool:
    """Do pointers to these types step from cell to cell alike?"""
    if a.kind != b.kind or _identity(a) != _identity(b) or a.unclear or b.unclear:
        return False
    if a.kind not in ("array", "pointer") or a.target is None or b.target is None:
        return True
    alike = a.kind != "array" or of_one_length(a.extent, b.extent)
    return alike and is_same_type(a.target, b.target, of_one_length)


def _identity(ctype: CType) -> tuple[object, ...]:
    """What tells types of one kind apart, whatever names a file gives them: `real` may be `double`."""
    match ctype.kind:
        case "int" if not ctype.enumerated:
            return ctype.bits, ctype.unsigned, ctype.signless
        case "float":
            return (ctype.bits,)
        case "struct" | "union":
            return (ctype.tag,)
        case "pointer" | "array" if ctype.target is not None:
            return ()
    return (ctype.text,)


def retyped(pointer: Pointer, target: CType) -> Pointer:
    """A pointer converted to one to `target`, which is the same type but for what the accesses may be."""
    return replace(pointer, target=_with_what_it_may_be(pointer.target, target))


def _with_what_it_may_be(ctype: CType, other: CType) -> CType:
    """The type, with what is volatile in the other one, or may be a cell of another type there."""
    target = ctype.target
    if target is not None and other.target is not None and ctype.kind == other.kind:
        target = _with_what_it_may_be(target, other.target)
    volatile, may_alias = ctype.volatile or other.volatile, ctype.may_alias or other.may_alias
    if target is ctype.target and (volatile, may_alias) == (ctype.volatile, ctype.may_alias):
        return ctype
    return replace(ctype, target=target, volatile=volatile, may_alias=may_alias)


def dereferenced(pointer: Pointer, index: Affine) -> Place:
    """The place that `pointer[index]` means."""
    place = pointer.place
    if place.loose:
        size, byte = byte_size(pointer.target) if pointer.target.kind != "void" else None, None
        if place.byte is not None and size is not None:
            byte = place.byte + (pointer.offset + index).scaled(size)
        flat, row = _in_row(pointer, index)
        return replace(place, ctype=pointer.target, flat=flat, byte=byte, row=row)
    if pointer.reach == "cell":
        moved_away = pointer.offset + index != Affine()
        return dereferenced(loosened(pointer), index) if moved_away else replace(place, ctype=pointer.target)
    return replace(place, path=(*place.path, pointer.offset + index), ctype=pointer.target)


def row_number(place: Place) -> tuple[Affine, int] | None:
    """The number of a row of an array of arrays among all of its depth, and how many subscripts led there."""
    steps, number = place.subscripts, None
    if not 0 < len(steps) == len(place.path) <= len(place.lengths):
        return None
    for step, length in zip(steps, (None, *place.lengths), strict=False):
        number = step if length is None else _next(number, length, step)
    return (number, len(steps)) if number is not None else None


def _next(number: Affine | None, length: Affine, step: Affine) -> Affine | None:
    begun = product(number, length) if number is not None else None
    return begun + step if begun is not None else None


def _in_row(pointer: Pointer, index: Affine) -> tuple[Affine | None, tuple[Affine, int] | None]:
    """Of an element of a loose row: its number among all elements, or as a row that of its own."""
    place, own = pointer.place, pointer.place.ctype
    if place.row is None or own.kind != "array" or own.target != pointer.target:
        return None, None
    number, steps = place.row
    element = _next(number, place.lengths[steps - 1], pointer.offset + index)
    if element is None:
        return None, None
    return (element, None) if steps == len(place.lengths) else (None, (element, steps + 1))


def decayed(place: Place) -> Pointer:
    """An array used as a value: the address of its first element."""
    target = place.ctype.target or UNKNOWN
    return Pointer(place, Affine(), target)


def size_type() -> CType:
    return SIZE


def literal(node: c_ast.Constant) -> Evaluated:
    if "int" in node.type or node.type in ("long", "unsigned"):
        try:
            return integer_constant(node.value)
        except ValueError:
            return NOTHING
    if node.type == "char" and len(node.value) == 3 and node.value.isascii():
        return Evaluated(constant(ord(node.value[1])), INT)
    if node.type in ("float", "double", "long double"):
        bits = {"float": 32, "double": 64}.get(node.type, LONG_DOUBLE.bits)
        return Evaluated(None, CType("float", node.type, bits))
    return NOTHING


def text_length(literal: str) -> int | None:
    """The number of bytes of a string literal, without the 0 at its end; None: its text alone does not tell.

    Wide ones, characters beyond ASCII (the execution character set decides), and codes (`\\x41`), which end
    elsewhere when the parser has joined two literals, are such.
    """
    inner = literal[1:-1]
    if not (literal.startswith('"') and inner.isascii()) or re.search(r"\\[0-9xuUN]", inner):
        return None
    return len(re.sub(r"\\.", "?", inner))


def is_number(node: Any) -> bool:
    return isinstance(node, c_ast.Constant)
