"""Prints symbolic expressions as C, over names that are visible where a loop begins."""

from __future__ import annotations

import re
from collections.abc import Iterator

from species.loops.model import FunctionModel, Loop
from species.sets.affine import (
    CHOICE,
    GREATEST,
    LEAST,
    TRUTHS,
    Affine,
    Atom,
    Counter,
    Division,
    Value,
    divided,
)
from species.sets.conditions import Compare
from species.sets.domains import implied
from species.sets.modular import is_size
from species.source.text.tokens import KEYWORDS
from species.symbols.symbols import Symbol
from species.symbols.types import BIT_FIELD, CType

_WRAPPING = ("+", "-", "*", "<<", "~")
_GROWING = ("+", "-", "*", "<<")
_WORD = re.compile(r"[A-Za-z_]\w*")
_WORDS = {8: "char", 16: "short", 32: "int", 64: "long"}


class Unprintable(Exception):
    """The expression has no name at the loop."""


class Renderer:
    """Prints for one loop: its outer iterators and the variables as they are on entry."""

    prints_choices = False  # `!now` and `c ? a : b`; kernels, and people, have no use for them

    def __init__(self, model: FunctionModel, loop: Loop) -> None:
        self._model, self._loop = model, loop
        self._loops = model.numbered
        self._shown: dict[Affine, Affine] = {}
        self._texts: dict[Affine, str] = {}
        integers = (k for k in loop.entry if isinstance(k, Symbol) and k.ctype.is_integer)
        self._unsigned = {symbol.name for symbol in integers if symbol.ctype.unsigned}
        known = list(loop.entry.items())[::-1]
        known.sort(key=lambda entry: _is_named_after(*entry))
        self._names = {
            value: key.name
            for key, value in known
            if isinstance(key, Symbol) and isinstance(value, Affine) and key.ctype.is_integer
            if loop.sees(key) and key not in loop.set_in_header
        }

    def signed(self, text: str) -> str:
        """A text, converted where it is the name of a number without a sign."""
        return f"(long){text}" if text in self._unsigned else text

    def text(self, expression: Affine) -> str:
        """C text; raises `Unprintable`."""
        known = self._texts.get(expression)
        if known is None:
            known = self._texts[expression] = self._sum(self.in_iterators(expression))
        return known

    def name_of(self, atom: Atom) -> str | None:
        """The variable that has the value."""
        return self._names.get(Affine.of(atom))

    def _beside(self, atom: Atom) -> str | None:
        """A variable that has the value but for a constant, `m = *n - 1`, and that constant."""
        if not isinstance(atom, Value) or atom.ctype.unsigned:
            return None
        for value, name in self._names.items():
            if value.constant and name not in self._unsigned and value - value.constant == Affine.of(atom):
                return f"({name}{-value.constant:+d})"
        return None

    def in_iterators(self, expression: Affine) -> Affine:
        """Counters replaced by the iterators that a person sees."""
        if all(isinstance(atom, Value) for atom, _ in expression.terms):
            return expression
        known = self._shown.get(expression)
        if known is None:
            known = self._shown[expression] = self._in_iterators(expression)
        return known

    def _in_iterators(self, expression: Affine) -> Affine:
        result = Affine(constant=expression.constant)
        for atom, coefficient in expression.terms:
            if isinstance(atom, Counter):
                result += self._iterator(self._loops[atom.loop], coefficient)
            elif isinstance(atom, Division):
                inner = self.in_iterators(atom.numerator)
                result += divided(inner, atom.divisor, atom.remainder).scaled(coefficient)
            else:
                result += Affine.of(atom, coefficient)
        return result

    def _iterator(self, loop: Loop, coefficient: int) -> Affine:
        """`coefficient * counter`: the counter is (iterator - lower) / step, without a rest."""
        if loop.iterator is None or self._is_hidden(loop) or not loop.iterator.ctype.is_integer:
            raise Unprintable
        iterator, inside = loop.iterator, frozenset((loop.number,))
        name = Affine.of(Value(("iterator", loop.number), inside, iterator.name, iterator.ctype))
        distance = name - self.in_iterators(self._origin(loop))
        if coefficient % loop.step == 0:
            return distance.scaled(coefficient // loop.step)
        towards = distance if loop.step > 0 else -distance
        return divided(towards, abs(loop.step), False).scaled(coefficient)

    def _origin(self, loop: Loop) -> Affine:
        """The iterator's value without the counter; the body of a loop around may have stepped it already."""
        if loop.number not in self._loop.path[:-1] or loop.iterator not in self._loop.entry:
            return loop.lower
        now = self._loop.entry[loop.iterator]
        if not isinstance(now, Affine) or now.coefficient(loop.counter) != loop.step:
            raise Unprintable
        origin: Affine = now - Affine.of(loop.counter, loop.step)
        if loop.number in origin.loops:
            raise Unprintable
        return origin

    def _is_hidden(self, loop: Loop) -> bool:
        """Is the iterator of a loop around this one hidden by another variable of its name?"""
        around = loop.number in self._loop.path[:-1]
        return around and loop.iterator is not None and not self._loop.sees(loop.iterator)

    def _sum(self, expression: Affine) -> str:
        known = self._names.get(expression)
        if known is not None and not expression.is_constant:
            return known
        found = ((self._part(a, expression), c) for a, c in expression.terms)
        parts = sorted(found, key=lambda p: (p[1] < 0, p[0]))
        text = "".join(_term(name, c) for name, c in parts)
        if expression.constant or not text:
            text += f"{expression.constant:+d}"
        return text.removeprefix("+")

    def _part(self, atom: Atom, expression: Affine) -> str:
        """An atom as it stands in a sum."""
        return self._atom(atom)

    def _atom(self, atom: Atom) -> str:
        known = self.name_of(atom)
        if known is not None:
            return known
        if isinstance(atom, Division):
            if not all(map(is_size, atom.numerator.atoms())):
                raise Unprintable  # it may be a negative number in disguise, of which sums would be wrong
            return f"({operand(self._sum(atom.numerator))}{'%' if atom.remainder else '/'}{atom.divisor})"
        assert isinstance(atom, Value)
        match atom.key:
            case ("iterator", _):
                return atom.text
            case ("sizeof", _) if self.means_the_same(atom.text):
                return atom.text
            case ("entry", _, Symbol() as symbol, _) if self._is_fixed(symbol):
                return symbol.name
            case ("op", operator, *_):
                return self._operation(str(operator), atom)
        beside = self._beside(atom)
        if beside is None:
            raise Unprintable
        return beside

    def _is_fixed(self, symbol: Symbol) -> bool:
        """Has the variable one value only, which `long long` can hold, and its name at the loop?"""
        if symbol.ctype.is_integer and symbol.ctype.bits > 64:
            return False
        if symbol.storage == "global" and not symbol.ctype.const and symbol in self._loop.entry:
            return False  # another file may have changed it since
        return not symbol.writes and not symbol.address_taken and self._loop.sees(symbol)

    def means_the_same(self, text: str) -> bool:
        """Do the names of types in a text mean right before the loop what they mean where they stand?"""
        names = set(_WORD.findall(text)) - KEYWORDS
        return "@" not in text and not names & (self._model.local_types | self._loop.visible.keys())

    def _operation(self, operator: str, atom: Value) -> str:
        if operator in ("/", "%") and not self._may_divide(atom):
            raise Unprintable
        if operator in (*TRUTHS, CHOICE) and not self.prints_choices:
            raise Unprintable
        if operator in TRUTHS and not all(map(_is_small, atom.parts)):
            raise Unprintable  # the difference of large numbers may have another sign
        texts = self._operands(operator, atom)
        if operator == "<<":
            texts[0] = self._shifted(texts[0], atom)
        wide = "(long)" if _is_narrow(atom) else ""  # what is added to it must not wrap around
        if operator == CHOICE:
            return f"{wide}({' '.join((texts[0], '?', texts[1], ':', texts[2]))})"
        if operator in (LEAST, GREATEST):
            return self._extreme(operator, texts)
        if operator == "max":
            return f"({texts[1]} > 0 ? {texts[1]} : 0)"
        if operator.startswith("("):
            return f"{wide}({_spelling(atom.ctype)})({texts[0]})"
        text = f"({operator.join(map(operand, texts))})" if len(texts) > 1 else f"{operator}({texts[0]})"
        of_ours = atom.ctype.bits > 64  # a product that does not wrap around
        if (
            operator in _WRAPPING and atom.ctype.unsigned and not of_ours
        ):  # operands of other types are converted before
            return f"({wide}({_spelling(atom.ctype)}){text})"
        return wide + text if len(texts) == 1 else text

    def _extreme(self, operator: str, texts: list[str]) -> str:
        """The least or greatest of some numbers, of type `long`."""
        found, relation = f"(long){operand(texts[0])}", "<" if operator == LEAST else ">"
        for text in texts[1:]:
            other = f"(long){operand(text)}"
            found = f"({found} {relation} {other} ? {found} : {other})"
        return found

    def _operands(self, operator: str, atom: Value) -> list[str]:
        return [self.text(p) for p in atom.parts]

    def _shifted(self, text: str, shift: Value) -> str:
        """The left operand of a shift, `1` as `1L` where the source has that."""
        is_int = shift.ctype.bits == 32 and not shift.ctype.unsigned
        return text if is_int or not shift.parts[0].is_constant else f"({_spelling(shift.ctype)}){text}"

    def _may_divide(self, quotient: Value) -> bool:
        """Is the division safe right before the loop, even if the loop comes to none?"""
        divisor = quotient.parts[1]
        if divisor.is_constant:
            return divisor.constant not in (0, -1)
        return self._is_in_header(quotient) or implied(Compare(divisor - 1), self._loop.conditions)

    def _is_in_header(self, value: Value) -> bool:
        """Does the loop compute the value even if it makes no iteration?"""
        bound = self._loop.bound
        headers = [self._loop.lower, *([bound.expression] if isinstance(bound, Compare) else [])]
        return any(value in _inside(e) for e in headers)


class WideRenderer(Renderer):
    """As `Renderer`, for C that is going to be executed: it computes what the text says, in no type that is
    too narrow for that, and in no unsigned one where the program did not.
    """

    def __init__(self, model: FunctionModel, loop: Loop) -> None:
        super().__init__(model, loop)
        integers = (k for k in loop.entry if isinstance(k, Symbol) and k.ctype.is_integer)
        self._short = {symbol.name for symbol in integers if symbol.ctype.bits < 64}

    def _atom(self, atom: Atom) -> str:
        text = super()._atom(atom)
        narrow = isinstance(atom, Value) and _is_narrow(atom) and not text.startswith("(long)")
        return f"(long){text}" if narrow else text

    def _part(self, atom: Atom, expression: Affine) -> str:
        text = self._atom(atom)
        plain, is_last = expression.terms == {(atom, 1)}, expression.constant == -1
        if plain and (expression.constant == 0 or (is_last and not is_unsigned(expression))):
            return text  # n, and the last of n: the program computes about as much
        short = self._is_short(atom, text) or (is_unsigned(expression) and not text.startswith("(long)"))
        return f"(long){text}" if short else text

    def _operands(self, operator: str, atom: Value) -> list[str]:
        texts = super()._operands(operator, atom)
        found, grows = [], operator in _GROWING
        for part, text in zip(atom.parts, texts, strict=True):
            signed = is_unsigned(part) and (operator in ("max", CHOICE) or not atom.ctype.unsigned)
            cast = signed or (grows and not part.is_constant and self._is_int(part, text))
            found.append(f"(long){operand(text)}" if cast and not text.startswith("(long)") else text)
            grows = grows and part.is_constant  # the others are converted to the type of the first
        if operator in ("<<", ">>") and not (atom.parts[1].is_constant or self._is_in_header(atom)):
            found[1] = f"{operand(found[1])} & {atom.ctype.bits - 1}"  # as good where the loop shifts by it
        return found

    def _operation(self, operator: str, atom: Value) -> str:
        text = super()._operation(operator, atom)
        is_signed = operator == "<<" and not atom.ctype.unsigned
        return f"({_spelling(atom.ctype)}){text}" if is_signed else text

    def _shifted(self, text: str, shift: Value) -> str:
        """Where the loop comes to no shift, there may be a bit that leaves, or a sign."""
        if shift.ctype.unsigned:
            return super()._shifted(text, shift)
        return f"(unsigned {_WORDS[shift.ctype.bits]}){operand(text)}"

    def _is_int(self, part: Affine, text: str) -> bool:
        """Is a text computed in a type that is not the widest?"""
        return "(long)" not in text and all(self._is_short(a, text) for a, _ in part.terms)

    def _is_short(self, atom: Atom, text: str) -> bool:
        if isinstance(atom, Value) and atom.ctype.bits >= 64:
            return text in self._short
        return not text.startswith("(long)")


def is_unsigned(part: Affine) -> bool:
    """Is it a sum of values without a sign, too?"""
    return any(isinstance(a, Value) and a.ctype.unsigned for a, _ in part.terms)


def _is_small(part: Affine) -> bool:
    """Is it a sum of numbers that a difference of `long` can hold?"""
    return all(isinstance(a, Value) and a.ctype.bits <= 32 and abs(c) < 2**16 for a, c in part.terms)


def _spelling(ctype: CType) -> str:
    """An integer type as C that means the same everywhere."""
    word = _WORDS.get(ctype.bits)
    if ctype.text == "_Bool":
        return ctype.text
    if word is None or ctype.text == BIT_FIELD:
        raise Unprintable
    if ctype.bits == 8 and ctype.certain_range != ctype.value_range:
        return word  # plain, signed or not
    if ctype.bits == 8 and not ctype.unsigned:
        return "signed char"
    return f"unsigned {word}" if ctype.unsigned else word


def _is_narrow(value: Value) -> bool:
    return value.ctype.unsigned and value.ctype.bits == 32


def _inside(expression: Affine) -> Iterator[Atom]:
    """All atoms of an expression, and those of the operands of its operations."""
    for atom in expression.atoms():
        yield atom
        for part in atom.parts if isinstance(atom, Value) else ():
            yield from _inside(part)


def _is_named_after(key: object, value: object) -> bool:
    """Does the value have its name from the variable?  (An iterator that has reached `n` is called `n`.)"""
    atoms = list(value.atoms()) if isinstance(value, Affine) else []
    return isinstance(key, Symbol) and len(atoms) == 1 and getattr(atoms[0], "text", None) == key.name


def operand(text: str) -> str:
    """A text as an operand of a sign or a cast."""
    name = text.removeprefix("(long)")
    return text if name.isidentifier() or name.isdigit() else f"({text})"


def _term(name: str, coefficient: int) -> str:
    sign = "-" if coefficient < 0 else "+"
    return sign + (name if abs(coefficient) == 1 else f"{abs(coefficient)}*{name}")
