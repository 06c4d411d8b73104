"""What each iteration of a loop might have of its own: memory behind pointers, and copies of structures."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from species.dependence.judgement import Judgement
from species.loops.model import Loop, Place, Reference, inner_loops
from species.loops.pointees import owner_of
from species.sets.affine import Affine, Atom, Counter, constant
from species.sets.conditions import Compare, Fact, rewritten
from species.sets.domains import always
from species.symbols.symbols import Symbol
from species.symbols.types import UNKNOWN, CType

_MEMORY = ("CV203", "CV204")  # reasons that speak of cells of one object


@dataclass(frozen=True)
class OwnMemory:
    """What every iteration is taken to have of its own: the memory behind `areas`, copies of `structures`.

    Structures are variables, or what variables lead to.  `owners` are the members that lead to areas: their
    structures are copied, too.
    """

    areas: frozenset[Symbol]
    structures: frozenset[Symbol]
    owners: Mapping[Symbol, Place]

    @property
    def copied(self) -> frozenset[Symbol]:
        """The structures, those included of which nothing but pointers to areas has to be another one."""
        return self.structures | {owner.symbol for owner in self.owners.values()}

    @property
    def variables(self) -> frozenset[Symbol]:
        """The variables that lead there."""
        return self.copied | (self.areas - {*self.owners})

    @property
    def names(self) -> frozenset[Symbol | Place]:
        """What the text of the loop names, or loads, to get there."""
        return self.variables | {*self.owners.values()}

    def __bool__(self) -> bool:
        return bool(self.areas or self.structures)

    def without(self, others: Collection[Symbol | None]) -> OwnMemory:
        """The same without some of it."""
        gone = {s for s, owner in self.owners.items() if owner.symbol in others}
        return OwnMemory(
            self.areas - {*others} - gone,
            self.structures - {*others},
            {s: owner for s, owner in self.owners.items() if s not in gone and s not in others},
        )


NOTHING = OwnMemory(frozenset(), frozenset(), {})


def own_memory(
    judgement: Judgement, references: Sequence[Reference], beside: OwnMemory = NOTHING
) -> OwnMemory:
    """What each iteration might have of its own, where memory is all that is wrong, `beside` what it has.

    `references` are those of the loop.  What is said of others may be wrong then: it was found where the
    loop was known to be serial already.
    """
    found = {array.symbol for array in judgement.arrays if array.symbol.ctype.kind == "pointer"}
    found |= beside.areas | beside.structures
    if not all(f.code in _MEMORY and f.symbol is not None for f in judgement.findings):
        return NOTHING
    found |= {f.symbol for f in judgement.findings if f.symbol is not None}
    owners = {r.symbol: owner for r in references if r.symbol in found and (owner := owner_of(r.place))}
    mixed = {r.symbol for r in references if r.symbol in owners and owner_of(r.place) != owners[r.symbol]}
    owners = {symbol: owner for symbol, owner in owners.items() if symbol not in mixed}
    whole = {owner.symbol for owner in owners.values()} | {s for s in found if _structure(s) is not None}
    copied = {s for s in whole if _may_be_copied(s, judgement.loop, references)}
    owners = {s: o for s, o in owners.items() if o.symbol in copied and _is_member(o)}
    areas = {s for s in found - copied if _may_be_own(s, is_member=s in owners)}
    owners = {s: owner for s, owner in owners.items() if s in areas}
    return OwnMemory(frozenset(areas), frozenset(copied & found), owners)


def stays(place: Place, loop: Loop) -> bool:
    """Does the loop leave the pointer that leads to a place?"""
    return place.base is None or not place.base.loops & inner_loops(loop)


def _structure(symbol: Symbol) -> CType | None:
    """The type of the structure that a variable is, or leads to."""
    ctype = symbol.ctype if symbol.ctype.kind == "struct" else _target(symbol)
    return ctype if ctype.kind == "struct" else None


def _target(symbol: Symbol) -> CType:
    is_array = symbol.storage == "parameter" and symbol.ctype.kind == "array"
    found = symbol.ctype.element if is_array else symbol.ctype.target
    return (found if symbol.ctype.kind == "pointer" or is_array else None) or UNKNOWN


def _may_be_copied(symbol: Symbol, loop: Loop, references: Sequence[Reference]) -> bool:
    """Is it one structure, there in every iteration, of which the loop names members only?"""
    ctype, is_pointer = _structure(symbol), symbol.ctype.kind == "pointer"
    if ctype is None or not _is_plain_variable(symbol) or (is_pointer and symbol.address_taken):
        return False
    if ctype.volatile or ctype.unclear or "_Atomic" in ctype.text:
        return False
    places = [r.place for r in references if r.symbol is symbol and not (is_pointer and r.place.is_variable)]
    first = all(not is_pointer or p.path[:1] == (constant(0),) for p in places)
    named = all(isinstance(next(iter(p.path[is_pointer:]), None), str) for p in places)
    plain = all(not p.loose and p.byte is None and p.flat is None and p.row is None for p in places)
    direct = all(owner_of(p) is None and stays(p, loop) for p in places)
    if not any(r.symbol is symbol and r.place in places and _is_certain(r, loop) for r in references):
        return False  # the structure need not be there
    return first and named and plain and direct and not any(p.ctype.volatile for p in places)


def _is_certain(reference: Reference, loop: Loop) -> bool:
    """Is it made in every iteration?  (In the first one of loops inside.)"""
    own = {loop.bound, Compare(Affine.of(loop.counter))}
    added = [c for c in reference.conditions[len(loop.conditions) :] if c not in own]
    inside = {*reference.loops[reference.loops.index(loop.number) + 1 :]}

    def at_first(atom: Atom) -> Affine | None:
        return Affine() if isinstance(atom, Counter) and atom.loop in inside else None

    first = [rewritten(c, lambda e: e.substitute(at_first)) for c in added if not isinstance(c, Fact)]
    known = (*loop.conditions, loop.bound)
    return all(always(condition, known) for condition in first)


def _is_member(owner: Place) -> bool:
    """Is it a member of the structure itself, or of one in it, that can be assigned?"""
    steps = owner.path[owner.symbol.ctype.kind == "pointer" :]
    return bool(steps) and all(isinstance(step, str) for step in steps) and not owner.ctype.const


def _is_plain_variable(symbol: Symbol) -> bool:
    return symbol.storage in ("local", "parameter") and not symbol.peculiar and symbol.origin is None


def _may_be_own(symbol: Symbol, *, is_member: bool) -> bool:
    """Is it a pointer to numbers or structures, in a variable that only its function sees, or a member?"""
    target = _target(symbol)
    if target.volatile or not (target.is_number or target.kind == "struct"):
        return False
    return is_member or (_is_plain_variable(symbol) and not symbol.address_taken)


def member_of(owner: Place) -> str:
    """A member as it is written behind the name of the structure: `.work`."""
    return "".join(f".{step}" for step in owner.path if isinstance(step, str))


def structures_of(own: OwnMemory) -> Iterator[tuple[Symbol, CType]]:
    """The structures in the order of their names, with their types."""
    for symbol in sorted(own.copied, key=lambda each: each.name):
        ctype = _structure(symbol)
        assert ctype is not None
        yield symbol, ctype
