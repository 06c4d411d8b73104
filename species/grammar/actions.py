"""What the rules of `species.lark` build: one method per rule, named as the rule."""

from __future__ import annotations

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

    operator = unary = primary = postfix = arguments = path = expression

    def range(self, ends: list[str]) -> Range:
        return Range(*map(canonical, ends))

    def ranges(self, parts: list[Range]) -> Ranges:
        return tuple(parts)

    def offset(self, parts: list[Range]) -> Range:
        return parts[0]

    def no_offset(self, _: list[str]) -> None:
        return None

    def pattern(self, parts: list[Token | Range | None]) -> tuple[Token | Range | None, ...]:
        return tuple(parts)

    def named(self, parts: tuple[str, Ranges, tuple[Token, *tuple[Range | None, ...]]]) -> ArraySpecies:
        name, domain, (kind, *offsets) = parts
        if offsets and len(offsets) != len(domain):
            raise RangeCountError(kind, len(offsets), len(domain))
        return ArraySpecies(canonical(name) or None, domain, AccessPattern(str(kind), tuple(offsets)))

    def unnamed(self, parts: tuple[Ranges, tuple[Token, *tuple[Range | None, ...]]]) -> ArraySpecies:
        return self.named(("", *parts))

    def side(self, parts: list[ArraySpecies]) -> Side:
        return tuple(parts)

    def nothing(self, _: list[Ranges]) -> Side:
        return ()

    def species(self, sides: tuple[Side, Side]) -> Species:
        return Species(*sides)

    def kernel(self, parts: list[Species]) -> KernelPragma:
        return KernelPragma(parts[0])

    def assumed_kernel(self, parts: tuple[Token, Species]) -> KernelPragma:
        return KernelPragma(parts[1], assume=True)

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
