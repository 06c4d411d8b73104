"""A count as a piecewise quasi-polynomial: its value, and as an expression of C and of Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from models.counting.linear import Floor, Linear, Symbol
from models.counting.polynomials import Monomial, Polynomial
from models.counting.summation import Guards, Piece


@dataclass(frozen=True)
class Count:
    """A number of points over `parameters`: the sum of the pieces whose guards hold."""

    parameters: tuple[str, ...]
    pieces: tuple[Piece, ...]

    @staticmethod
    def of(parameters: tuple[str, ...], pieces: Iterable[Piece]) -> Count:
        """Pieces with the same guards are one."""
        found: dict[Guards, Polynomial] = {}
        for piece in pieces:
            guards = tuple(sorted(piece.guards, key=lambda guard: guard.key))
            found[guards] = found.get(guards, Polynomial()) + piece.polynomial
        kept = (Piece(guards, polynomial) for guards, polynomial in found.items() if polynomial.terms)
        return Count(parameters, tuple(kept))

    def value(self, names: Mapping[str, int]) -> int:
        """How many points there are, for integers that the parameters stand for."""
        holding = (p for p in self.pieces if all(guard.value(names) >= 0 for guard in p.guards))
        total = sum((piece.polynomial.value(names) for piece in holding), Polynomial().value({}))
        assert total.denominator == 1
        return int(total)

    def c_expression(self) -> str:
        """The same in C: parameters are read as `long long`, in which all that is computed has to fit."""
        return " + ".join(_piece(piece, _C) for piece in self.pieces) or "0LL"

    def c_function(self, name: str) -> str:
        """A C function of the parameters, in their order; quotients are computed once."""
        listed = ", ".join(f"long long {each}" for each in self.parameters) or "void"
        lines, language = list[str](), replace(_C, name="{0}")
        for quotient in self._quotients():
            text = _symbol(quotient, language)
            language = replace(language, known={**language.known, quotient: f"cuvier_q{len(lines)}"})
            lines.append(f"  const long long {language.known[quotient]} = {text};\n")
        total = " +\n    ".join(_piece(piece, language) for piece in self.pieces) or "0"
        return f"static long long {name}({listed})\n{{\n{''.join(lines)}  return {total};\n}}\n"

    def _quotients(self) -> list[Floor]:
        """All quotients, each behind those that it is made of."""
        values = [guard for piece in self.pieces for guard in piece.guards]
        monomials = [monomial for piece in self.pieces for monomial, _ in piece.polynomial.terms]
        values += [Linear(((symbol, 1),)) for monomial in monomials for symbol, _ in monomial]
        return list(dict.fromkeys(quotient for value in values for quotient in value.quotients()))

    def python_expression(self) -> str:
        """The same in Python, where no integer is too large."""
        return " + ".join(_piece(piece, _PYTHON) for piece in self.pieces) or "0"

    def python_function(self) -> Callable[..., int]:
        """A function of the parameters, in their order."""
        code = f"lambda {', '.join(self.parameters)}: {self.python_expression()}"
        function: Callable[..., int] = eval(code, {"__builtins__": {}})  # made of numbers and checked names
        return function


@dataclass(frozen=True)
class _Language:
    """How conditions, choices, whole quotients and numbers are written."""

    both: str
    choice: str  # of a condition, and what counts where it holds
    quotient: str  # of a value that may be negative, and a divisor, rounded down
    exact: str  # of a value that the divisor divides
    number: str
    name: str
    known: Mapping[Floor, str] = field(default_factory=dict)  # names that quotients have


_C = _Language(
    " && ",
    "({0} ? {1} : 0LL)",
    "(({0}) >= 0 ? ({0}) / {1} : -(({1} - 1 - ({0})) / {1}))",
    "({0}) / {1}",
    "{0}LL",
    "(long long)({0})",
)
_PYTHON = _Language(" and ", "({1} if {0} else 0)", "(({0}) // {1})", "({0}) // {1}", "{0}", "{0}")


def _piece(piece: Piece, language: _Language) -> str:
    below = piece.polynomial.denominator
    parts = [
        (int(factor * below), _powers(monomial, language)) for monomial, factor in piece.polynomial.terms
    ]
    terms = _sum(parts, language)
    number = f"({terms})" if below == 1 else language.exact.format(terms, language.number.format(below))
    tests = language.both.join(f"{_linear(guard, language)} >= 0" for guard in piece.guards)
    return language.choice.format(tests, number) if tests else number


def _sum(parts: Sequence[tuple[int, Sequence[str]]], language: _Language) -> str:
    """`n*n - 2*n + 1`: products of numbers and factors, added up."""
    found = ""
    for number, factors in parts:
        plain = [] if abs(number) == 1 and factors else [language.number.format(abs(number))]
        sign = " - " if number < 0 else " + "
        found += (sign if found else sign.strip(" +")) + "*".join([*plain, *factors])
    return found or language.number.format(0)


def _powers(monomial: Monomial, language: _Language) -> list[str]:
    return [text for symbol, power in monomial for text in [_symbol(symbol, language)] * power]


def _linear(value: Linear, language: _Language) -> str:
    parts = [(factor, [_symbol(symbol, language)]) for symbol, factor in value.terms]
    return _sum([*parts, (value.constant, [])] if value.constant or not parts else parts, language)


def _symbol(symbol: Symbol, language: _Language) -> str:
    if isinstance(symbol, str):
        return language.name.format(symbol)
    if symbol in language.known:
        return language.known[symbol]
    below = language.number.format(symbol.divisor)
    return language.quotient.format(_linear(symbol.numerator, language), below)
