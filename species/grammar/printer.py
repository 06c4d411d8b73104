"""Species and pragmas as text, in the one canonical form: `A[0:N-1]|chunk(0:7) ^ B[0:7]|full -> void`."""

from __future__ import annotations

from species.grammar.expressions import canonical
from species.grammar.nodes import AccessPattern, ArraySpecies, Range, Species
from species.grammar.pragmas import Copy, CopyPragma, EndKernelPragma, KernelPragma, Pragma, SyncPragma


def print_species(species: Species) -> str:
    """The text of `species`; `parse_species` is its inverse."""
    return f"{_side(species.inputs)} -> {_side(species.outputs)}"


def print_pragma(pragma: Pragma) -> str:
    """The line of `pragma`, without a newline; `parse_pragma` is its inverse."""
    return f"#pragma species {_directive(pragma)}"


def _directive(pragma: Pragma) -> str:
    match pragma:
        case KernelPragma(species, assume, approximate, conditions):
            words = ["kernel", *["assume"] * assume, print_species(species), *["approximate"] * approximate]
            return " ".join([*words, *(f"if({canonical(c)})" for c in conditions)])
        case EndKernelPragma(name):
            return f"endkernel {name}"
        case CopyPragma(direction, arrays):
            return f"copy{direction} {' ^ '.join(map(_copy, arrays))}"
        case SyncPragma(deadline):
            return f"sync {deadline}"


def _side(parts: tuple[ArraySpecies, ...]) -> str:
    return " ^ ".join(map(print_part, parts)) or "void"


def print_part(part: ArraySpecies) -> str:
    domain = _domain(part.domain)
    place = domain if part.name is None else f"{part.name}[{domain}]"
    return f"{place}|{_pattern(part.pattern)}"


def _copy(copy: Copy) -> str:
    return f"{copy.name}[{_domain(copy.domain)}]|{copy.deadline}"


def _pattern(pattern: AccessPattern) -> str:
    if pattern.operator is not None:
        return f"{pattern.kind}({pattern.operator})"
    if not pattern.ranges:
        return pattern.kind
    offsets = ("-" if part is None else _range(part) for part in pattern.ranges)
    return f"{pattern.kind}({','.join(offsets)})"


def _domain(ranges: tuple[Range, ...]) -> str:
    return ",".join(map(_range, ranges))


def _range(part: Range) -> str:
    return f"{canonical(part.low)}:{canonical(part.high)}"
