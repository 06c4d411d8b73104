"""Species that a person wrote before a loop: honoured where the analysis cannot do better, checked always."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from species.facts import LoopFacts
from species.grammar.errors import SpeciesSyntaxError
from species.grammar.nodes import ArraySpecies, Species
from species.grammar.parser import parse_pragma
from species.grammar.pragmas import KernelPragma
from species.positions import Diagnostic, Position
from species.source import SourceError, SourceFile, TranslationUnit, tokenize


@dataclass(frozen=True)
class HandWritten:
    """A `#pragma species kernel` and where it stands; `assume`: the user vouches for it."""

    species: Species
    assume: bool
    position: Position


def hand_written(unit: TranslationUnit) -> dict[Position, HandWritten]:
    """The species that the main file states, by the position of the loop keyword that follows.

    Raises SourceError (CV005) for a pragma that cannot be read or that no loop follows.
    """
    found = {}
    for position, text in unit.pragmas:
        if text.split()[:2] == ["species", "kernel"]:
            pragma = _parse(text, position)
            found[_loop_after(unit.source, position)] = HandWritten(pragma.species, pragma.assume, position)
    return found


def _parse(text: str, position: Position) -> KernelPragma:
    try:
        pragma = parse_pragma(f"#pragma {text}")
    except SpeciesSyntaxError as error:
        raise _error(str(error), position) from None
    assert isinstance(pragma, KernelPragma)
    return pragma


def _loop_after(source: SourceFile, position: Position) -> Position:
    """The place of the loop keyword that comes next, other pragmas and comments aside."""
    start = source.offset(position.line, position.column)
    for token in tokenize(source.text[start:]):
        if token.kind in ("directive", "comment"):
            continue
        if token.text == "for":
            return source.position(start + token.start)
        break
    raise _error("no for loop follows this species; put it directly before the loop", position)


def checked(facts: LoopFacts, stated: Mapping[Position, HandWritten]) -> LoopFacts:
    """The facts with the species that a person stated; raises SourceError if the analysis refutes it."""
    by_hand = stated.get(facts.position)
    if by_hand is None:
        return facts
    if not facts.verdict.is_parallel:
        why = facts.reasons[0].message if facts.reasons else "its iterations depend on each other"
        raise _error(f"the loop is not parallel: {why}", by_hand.position)
    if not by_hand.assume and facts.exact and not _agree(by_hand.species, facts.species):
        raise _error(f"this is {facts.species}", by_hand.position)
    return replace(facts, species=_named(by_hand.species, facts.species))


def _agree(stated: Species, found: Species | None) -> bool:
    if found is None:
        return True
    sides = ((stated.inputs, found.inputs), (stated.outputs, found.outputs))
    return all(_same_parts(a, b) for a, b in sides)


def _same_parts(stated: tuple[ArraySpecies, ...], found: tuple[ArraySpecies, ...]) -> bool:
    """The same arrays with the same domains and patterns; a part without a name fits any array."""
    left = Counter(stated)
    right = Counter(found)
    common = left & right
    rest = sorted(map(_unnamed, (right - common).elements()), key=repr)
    return sorted((left - common).elements(), key=repr) == rest


def _unnamed(part: ArraySpecies) -> ArraySpecies:
    return replace(part, name=None)


def _named(stated: Species, found: Species | None) -> Species:
    """The stated species; where it names no arrays, the one that was found says the same with names."""
    unnamed = any(part.name is None for part in (*stated.inputs, *stated.outputs))
    return found if unnamed and found is not None else stated


def _error(message: str, position: Position) -> SourceError:
    way_out = "correct it, or write 'kernel assume' to insist"
    return SourceError(Diagnostic("error", "CV005", f"hand-written species: {message}; {way_out}", position))
