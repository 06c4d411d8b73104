"""What the rules of `species.lark` build: one method per rule, named as the rule."""

from __future__ import annotations

from dataclasses import replace

from lark import Token, Transformer

from species.grammar.expressions import canonical
from species.grammar.nodes import AccessPattern, ArraySpecies, Range, Species
from species.grammar.pragmas import Copy, CopyPragma, EndKernelPragma, KernelPragma, Pragma, SyncPragma

Node = Species | Pragma
Ranges = tuple[Range, ...]
Side = tuple[ArraySpecies, ...]


class RangeCountError(Exception):
    """A pattern has another number of ranges than its array has dimensions."""

    def __init__(self, kind: Token, ranges: int, dimensions: int) -> None:
        self.column = (kind.start_pos or 0) + 1
        self.found = f"{ranges} in '{kind}'"
        self.expected = f"{dimensions} range" + "s" * (dimensions > 1)


class Actions(Transformer[Token, Node]):
    """Children come as one list; the rules of expressions hand up their text."""

    def expression(self, parts: list[str]) -> str:
        return " ".join(parts)

    operator = unary = primary = postfix = arguments = path = parenthesised = expression

    def range(self, ends: list[str]) -> Range:
        return Range(*map(canonical, ends))

    def ranges(self, parts: list[Range]) -> Ranges:
        return tuple(parts)

    def offset(self, parts: list[Range]) -> Range:
        return parts[0]

    def no_offset(self, _: list[str]) -> None:
        return None

    def pattern(self, parts: tuple[Token, *tuple[Range | None, ...]]) -> tuple[Token, AccessPattern]:
        kind, *offsets = parts
        return kind, AccessPattern(str(kind), tuple(offsets))

    def shared(self, parts: list[Token]) -> tuple[Token, AccessPattern]:
        operators = map(str, parts[1:])
        return parts[0], AccessPattern(str(parts[0]), operator=next(operators, None))

    def named(self, parts: tuple[str, Ranges, tuple[Token, AccessPattern]]) -> ArraySpecies:
        name, domain, (kind, pattern) = parts
        if pattern.ranges and len(pattern.ranges) != len(domain):
            raise RangeCountError(kind, len(pattern.ranges), len(domain))
        return ArraySpecies(canonical(name) or None, domain, pattern)

    def unnamed(self, parts: tuple[Ranges, tuple[Token, AccessPattern]]) -> ArraySpecies:
        return self.named(("", *parts))

    def side(self, parts: list[ArraySpecies]) -> Side:
        return tuple(parts)

    def nothing(self, _: list[Ranges]) -> Side:
        return ()

    def species(self, sides: tuple[Side, Side]) -> Species:
        return Species(*sides)

    def approximate(self, _: list[Token]) -> None:
        return None

    def condition(self, parts: list[str]) -> str:
        return canonical(parts[0].removeprefix("(").removesuffix(")"))

    def kernel(self, parts: tuple[Species, *tuple[str | None, ...]]) -> KernelPragma:
        species, *marks = parts
        conditions = tuple(mark for mark in marks if mark is not None)
        return KernelPragma(species, approximate=None in marks, conditions=conditions)

    def assumed_kernel(self, parts: tuple[Token, Species, *tuple[str | None, ...]]) -> KernelPragma:
        return replace(self.kernel(parts[1:]), assume=True)

    def endkernel(self, parts: list[Token]) -> EndKernelPragma:
        return EndKernelPragma(str(parts[0]))

    def copy(self, parts: tuple[str, Ranges, Token]) -> Copy:
        return Copy(canonical(parts[0]), parts[1], int(parts[2]))

    def copies(self, parts: list[Copy]) -> tuple[Copy, ...]:
        return tuple(parts)

    def copyin(self, parts: list[tuple[Copy, ...]]) -> CopyPragma:
        return CopyPragma("in", parts[0])

    def copyout(self, parts: list[tuple[Copy, ...]]) -> CopyPragma:
        return CopyPragma("out", parts[0])

    def sync(self, parts: list[Token]) -> SyncPragma:
        return SyncPragma(int(parts[0]))

    def pragma(self, parts: list[Pragma]) -> Pragma:
        return parts[0]
