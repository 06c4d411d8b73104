"""The pragmas of the species language (theory.md section 3): species, copies and barriers in C."""

from __future__ import annotations

from dataclasses import dataclass

from species.grammar.nodes import Range, Species


@dataclass(frozen=True)
class KernelPragma:
    """`#pragma species kernel SPECIES`, before a nest; with `assume` the user vouches for the species.

    `approximate`: the nest may touch less than the species says.  It holds where all of `conditions` do, C
    expressions as `expressions.canonical` writes them; they follow the species, one `if(...)` each.
    """

    species: Species
    assume: bool = False
    approximate: bool = False
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True)
class EndKernelPragma:
    """`#pragma species endkernel NAME`, after a nest."""

    name: str


@dataclass(frozen=True)
class Copy:
    """A transfer of `name[domain]` that must be done by the barrier numbered `deadline`."""

    name: str
    domain: tuple[Range, ...]
    deadline: int


@dataclass(frozen=True)
class CopyPragma:
    """`#pragma species copyin ...` (direction "in": to the device) or `copyout` (direction "out")."""

    direction: str
    arrays: tuple[Copy, ...]


@dataclass(frozen=True)
class SyncPragma:
    """`#pragma species sync N`: the barrier numbered `deadline`."""

    deadline: int


Pragma = KernelPragma | EndKernelPragma | CopyPragma | SyncPragma
