"""Species that a person wrote before a loop: honoured where the analysis cannot do better, checked always."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from species.facts import LoopFacts, Verdict
from species.grammar.errors import SpeciesSyntaxError
from species.grammar.nodes import ArraySpecies, Species
from species.grammar.parser import parse_pragma
from species.grammar.pragmas import KernelPragma
from species.positions import Diagnostic, Position
from species.source import SourceError, SourceFile, TranslationUnit, tokenize

OVERRULED = ("CV201", "CV202", "CV203", "CV204", "CV205")  # do not count where `assume` is written


@dataclass(frozen=True)
class HandWritten:
    """A `#pragma species kernel` and where it stands; `assume`: the user vouches for it.

    It holds where all of `conditions` do.
    """

    species: Species
    assume: bool
    position: Position
    conditions: tuple[str, ...] = ()


def hand_written(unit: TranslationUnit) -> dict[Position, HandWritten]:
    """The species that the main file states, by the position of the loop keyword that follows.

    Raises SourceError (CV005) for a pragma that cannot be read or that no loop follows.
    """
    found = {}
    for position, text in unit.pragmas:
        if text.split()[:2] == ["species", "kernel"]:
            pragma = _parse(text, position)
            found[_loop_after(unit.source, position)] = HandWritten(
                pragma.species, pragma.assume, position, pragma.conditions
            )
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
        if token.text in ("for", "while", "do"):
            return source.position(start + token.start)
        break
    raise _error("no loop follows this species; put it directly before the loop", position)


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
    facts = replace(facts, species=_named(by_hand.species, facts.species))
    return _restricted(facts, by_hand.conditions) if by_hand.conditions else facts


def _restricted(facts: LoopFacts, stated: tuple[str, ...]) -> LoopFacts:
    """The facts of a loop that is parallel only where the conditions that a person stated hold, too."""
    conditions = tuple(dict.fromkeys((*facts.conditions, *stated)))
    kernel = replace(facts.kernel, conditions=conditions) if facts.kernel else None
    copies = (*facts.private, *facts.lastprivate, *facts.lastprivate_conditional, *facts.reductions)
    obstacle = facts.openmp_obstacle
    if copies and not obstacle:  # OpenMP makes them even where the conditions fail
        obstacle = "it has private copies, and under a condition that a person stated"
    return replace(
        facts, verdict=Verdict.CONDITIONAL, conditions=conditions, kernel=kernel, openmp_obstacle=obstacle
    )


def _agree(stated: Species, found: Species | None) -> bool:
    if found is None:
        return True
    sides = ((stated.inputs, found.inputs), (stated.outputs, found.outputs))
    return all(_same_parts(a, b) for a, b in sides)


def _same_parts(stated: tuple[ArraySpecies, ...], found: tuple[ArraySpecies, ...]) -> bool:
    """The same arrays with the same domains and patterns.

    A part without a name fits any array, and `shared` without an operator any operator.
    """
    left = list(found)
    for part in sorted(stated, key=lambda p: (p.name is None, p.pattern.operator is None)):
        match = next((other for other in left if _fits(part, other)), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def _fits(stated: ArraySpecies, found: ArraySpecies) -> bool:
    name = found.name if stated.name is None else stated.name
    operator = stated.pattern.operator or found.pattern.operator
    return replace(stated, name=name, pattern=replace(stated.pattern, operator=operator)) == found


def _named(stated: Species, found: Species | None) -> Species:
    """The stated species; where it names no arrays, the one that was found says the same with names."""
    unnamed = any(part.name is None for part in (*stated.inputs, *stated.outputs))
    return found if unnamed and found is not None else stated


def _error(message: str, position: Position) -> SourceError:
    way_out = "correct it, or write 'kernel assume' to insist"
    return SourceError(Diagnostic("error", "CV005", f"hand-written species: {message}; {way_out}", position))
