"""About how much a C expression comes to, for estimates: names of unknown value count as an assumed size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from species.source.text.tokens import Token, code_tokens

# One rule for all that only the run knows, which every estimate and every answer to "is it worth it?" keeps.
UNKNOWN = 1000.0  # what a size is taken for: a variable, a parameter, a member of a structure
LARGE = (
    2.0**20
)  # iterations of a nest of unknown sizes, if it is one that a device is worth being started for
SOME = 16.0  # what an array's element or a function's value is taken for, and the iterations of a `while`
_DEEPEST = 20  # macros within macros
_LEVELS: Mapping[str, int] = {
    "||": 1,
    "&&": 2,
    "|": 3,
    "^": 4,
    "&": 5,
    "==": 6,
    "!=": 6,
    "<": 7,
    ">": 7,
    "<=": 7,
    ">=": 7,
    "<<": 8,
    ">>": 8,
    "+": 9,
    "-": 9,
    "*": 10,
    "/": 10,
    "%": 10,
}
_OPERATIONS: Mapping[str, Callable[[float, float], float]] = {
    "||": lambda a, b: float(bool(a) or bool(b)),
    "&&": lambda a, b: float(bool(a) and bool(b)),
    "|": lambda a, b: float(int(a) | int(b)),
    "^": lambda a, b: float(int(a) ^ int(b)),
    "&": lambda a, b: float(int(a) & int(b)),
    "==": lambda a, b: float(a == b),
    "!=": lambda a, b: float(a != b),
    "<": lambda a, b: float(a < b),
    ">": lambda a, b: float(a > b),
    "<=": lambda a, b: float(a <= b),
    ">=": lambda a, b: float(a >= b),
    "<<": lambda a, b: a * 2.0 ** min(b, 63.0),
    ">>": lambda a, b: a / 2.0 ** min(b, 63.0),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b if b else a,
    "%": lambda a, b: a % b if b else a,
}


@dataclass
class Amounts:
    """Evaluates texts.  `macro` gives a name's replacement, `values` are known; `taken` collects the rest.

    Of these, some are likely to have `typical` values (members' names have a dot before them).  `chosen` are
    the variables that hold data: see `models.indirect.accesses`.  `counted` are iterators with the number of
    iterations of their loops, where that is known; `trips` are the iterations of loops in the mean, by the
    identity of their nodes, where they are counted exactly.  `blocks` are variables that end a block of so
    many iterations from another variable on: `end = n - first > 64 ? first + 64 : n`.
    """

    macro: Callable[[str], str | None]
    assumed: float
    values: dict[str, float] = field(default_factory=dict)
    taken: dict[str, float] = field(default_factory=dict)
    typical: Mapping[str, float] = field(default_factory=dict)
    chosen: frozenset[str] = frozenset()
    counted: dict[str, float] = field(default_factory=dict)
    trips: dict[int, float] = field(default_factory=dict)
    blocks: Mapping[str, tuple[str, float]] = field(default_factory=dict)

    def knowing(self, values: dict[str, float], taken: dict[str, float] | None = None) -> Amounts:
        """The same, with other values."""
        return replace(self, values=values, taken={} if taken is None else taken)

    def of(self, text: str) -> float:
        """The value of an expression; what cannot be read counts as assumed."""
        try:
            return _Reader(self, code_tokens(text)).whole()
        except (_Unreadable, OverflowError, ValueError, RecursionError):
            return self.assumed

    def of_name(self, name: str, depth: int) -> float:
        """A variable's value, or a macro's."""
        if name in self.values:
            return self.values[name]
        body = self.macro(name) if depth < _DEEPEST else None
        if body:
            return _Reader(self, code_tokens(body), depth + 1).whole()
        self.taken[name] = self.typical.get(name, self.assumed)
        return self.taken[name]

    def of_member(self, text: str) -> float:
        """The value of a member of a structure, such as `image->width`: a size like any other."""
        if text in self.values:
            return self.values[text]
        member = "." + text.replace("->", ".").rpartition(".")[2]
        self.taken[text] = self.typical.get(member, self.assumed)
        return self.taken[text]


class _Unreadable(Exception):
    """The text is no expression that is understood."""


@dataclass
class _Reader:
    """Reads one expression by precedence climbing."""

    amounts: Amounts
    tokens: list[Token]
    depth: int = 0
    at: int = 0

    def whole(self) -> float:
        value = self._choice()
        if self._next():
            raise _Unreadable
        return value

    def _next(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def _take(self, wanted: str = "") -> Token:
        if self.at >= len(self.tokens) or (wanted and self.tokens[self.at].text != wanted):
            raise _Unreadable
        self.at += 1
        return self.tokens[self.at - 1]

    def _choice(self) -> float:
        """An expression, a conditional one included."""
        value = self._binary(1)
        if self._next() != "?":
            return value
        self._take()
        first = self._choice()
        self._take(":")
        second = self._choice()
        return first if value else second

    def _binary(self, level: int) -> float:
        left = self._unary()
        while _LEVELS.get(self._next(), 0) >= level:
            operator = self._take().text
            left = _OPERATIONS[operator](left, self._binary(_LEVELS[operator] + 1))
        return left

    def _unary(self) -> float:
        match self._next():
            case "-" | "+" | "!" | "~" as sign:
                self._take()
                value = self._unary()
                return {"-": -value, "+": value, "!": float(not value), "~": -value - 1}[sign]
            case "(" if self._is_cast():
                self._skip()
                return self._unary()
            case "(":
                self._take()
                value = self._choice()
                self._take(")")
                return value
        return self._primary()

    def _is_cast(self) -> bool:
        """`(long)`, `(size_t)`, `(const unsigned *)`: words with something to convert behind them."""
        end = self.at + 1
        while end < len(self.tokens) and self.tokens[end].kind in ("keyword", "identifier"):
            end += 1
        while end < len(self.tokens) and self.tokens[end].text == "*":
            end += 1
        inside = self.tokens[self.at + 1 : end]
        if not inside or end + 1 >= len(self.tokens) or self.tokens[end].text != ")":
            return False
        after = self.tokens[end + 1]
        return inside[0].kind == "keyword" or after.kind in ("identifier", "number") or after.text == "("

    def _primary(self) -> float:
        token = self._take()
        if token.kind == "number":
            return _number(token.text)
        if token.kind not in ("identifier", "keyword"):
            raise _Unreadable
        if self._next() in ("(", "[", ".", "->"):
            first = self.at - 1
            is_member = self._postfix()
            if is_member:
                return self.amounts.of_member("".join(each.text for each in self.tokens[first : self.at]))
            return 8.0 if token.text == "sizeof" else SOME
        return self.amounts.of_name(token.text, self.depth)

    def _postfix(self) -> bool:
        """Skip calls, subscripts and members; is it a member of a variable, and nothing else?"""
        is_member = True
        while self._next() in ("(", "[", ".", "->"):
            if self._next() in ("(", "["):
                self._skip()
                is_member = False
            else:
                self._take()
                self._take()
        return is_member

    def _skip(self) -> None:
        """What stands in brackets, with them."""
        depth = 0
        while True:
            text = self._take().text
            depth += (text in "([") - (text in ")]")
            if depth == 0:
                return


def _number(text: str) -> float:
    plain = text.rstrip("uUlL")
    if plain[:2].lower() == "0x":
        return float(int(plain, 16))
    return float(plain.rstrip("fF"))
