"""Species that a person wrote before a loop: honoured where the analysis cannot do better, checked always.

One that does not hold, or cannot be read, is a warning at its place; the loop is then what the analysis says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from species.analysis.species_equivalence import Meaning
from species.analysis.stated_values import StatedValues
from species.core.positions import Diagnostic, Position
from species.facts.loops import LoopFacts, Verdict
from species.grammar.errors import SpeciesSyntaxError
from species.grammar.nodes import Species
from species.grammar.parser import parse_pragma
from species.grammar.pragmas import KernelPragma
from species.loops.model import Loop
from species.loops.walk import FileModel
from species.source import SourceFile, TranslationUnit, tokenize

OVERRULED = ("CV201", "CV202", "CV203", "CV204", "CV205")  # do not count where `assume` is written
_NOT_PROVED = ("CV204", "CV205", "CV309")  # nobody knows whether it is so
_CORRECT = "correct it, or take it out"
_INSIST = "correct it, or write 'kernel assume' to insist"


@dataclass(frozen=True)
class HandWritten:
    """A `#pragma species kernel` and where it stands; `assume`: the user vouches for it.

    It holds where all of `conditions` do.
    """

    species: Species
    assume: bool
    position: Position
    conditions: tuple[str, ...] = ()


@dataclass
class Stated:
    """The species that the main file states, by the position of the loop keyword that follows, and what is
    to be said of them (CV005), each at the pragma's place.
    """

    unit: TranslationUnit
    by_loop: dict[Position, HandWritten] = field(default_factory=dict)
    complaints: dict[Position, Diagnostic] = field(default_factory=dict)

    def diagnostics(self) -> list[Diagnostic]:
        """What there is to be said, in the order of the source."""
        return [self.complaints[position] for position in sorted(self.complaints)]

    def at(self, position: Position) -> HandWritten | None:
        return self.by_loop.get(position)

    def checked(self, facts: LoopFacts, file: FileModel, loop: Loop) -> LoopFacts:
        """The facts with the species that a person stated before the loop, unless the analysis refutes it."""
        by_hand = self.at(facts.position)
        if by_hand is None:
            return facts
        if not facts.verdict.is_parallel:
            self.complain(by_hand.position, _not_parallel(facts), _way_out(by_hand))
            return facts
        right = by_hand.assume or self._agrees(by_hand, facts, file, loop)
        if right and (by_hand.assume or not facts.exact or facts.species is None):
            facts = replace(facts, species=_named(by_hand.species, facts.species))
        return _restricted(facts, by_hand.conditions) if by_hand.conditions else facts

    def _agrees(self, by_hand: HandWritten, facts: LoopFacts, file: FileModel, loop: Loop) -> bool:
        """May it mean what was found?  Complains where it does not."""
        line, found = by_hand.position.line, facts.species
        if found is None:
            return True

        def macro(name: str) -> str | None:
            definition = self.unit.macros.definition(name, line)
            return None if definition is None or definition.params is not None else definition.body

        meaning = Meaning(StatedValues(file, loop, macro))
        compare = meaning.difference if facts.exact else meaning.other_arrays
        difference = compare(by_hand.species, found)
        if difference is not None:
            wrong = "does not hold" if difference.stated else "is left out"
            position = self._place(by_hand.position, difference.part if difference.stated else "")
            self.complain(position, f"'{difference.part}' {wrong}: this is {found}", _INSIST)
        return difference is None

    def _place(self, pragma: Position, part: str) -> Position:
        """Where a part stands in the line of the pragma; of what is not found there, the pragma."""
        text = self.unit.source.text.splitlines()[pragma.line - 1]
        words = map(re.escape, re.findall(r"\w+|\S", part))
        found = re.search(r"\s*".join(words), text) if part else None
        return pragma if found is None else replace(pragma, column=found.start() + 1)

    def complain(self, position: Position, message: str, way_out: str) -> None:
        self.complaints[position] = Diagnostic(
            "warning", "CV005", f"hand-written species: {message}; {way_out}", position
        )


def hand_written(unit: TranslationUnit) -> Stated:
    """The species that the main file states; of those that cannot be read, or that no loop follows, the
    complaint.
    """
    stated = Stated(unit)
    for position, text in unit.pragmas:
        if text.split()[:2] == ["species", "kernel"]:
            _note(stated, position, text)
    return stated


def _note(stated: Stated, position: Position, text: str) -> None:
    try:
        pragma = parse_pragma(f"#pragma {text}")
    except SpeciesSyntaxError as error:
        stated.complain(position, str(error), _CORRECT)
        return
    assert isinstance(pragma, KernelPragma)
    loop = _loop_after(stated.unit.source, position)
    if loop is None:
        stated.complain(position, "no loop follows it", "put it directly before the loop")
        return
    stated.by_loop[loop] = HandWritten(pragma.species, pragma.assume, position, pragma.conditions)


def _loop_after(source: SourceFile, position: Position) -> Position | None:
    """The place of the loop keyword that comes next, other pragmas and comments aside."""
    start = source.offset(position.line, position.column)
    for token in tokenize(source.text[start:]):
        if token.kind in ("directive", "comment"):
            continue
        return source.position(start + token.start) if token.text in ("for", "while", "do") else None
    return None


def _not_parallel(facts: LoopFacts) -> str:
    reason = facts.reasons[0] if facts.reasons else None
    why = reason.message if reason else "its iterations depend on each other"
    proved = "not proven parallel" if reason and reason.code in _NOT_PROVED else "not parallel"
    return f"the loop is {proved}: {why}"


def _way_out(by_hand: HandWritten) -> str:
    return "take it out" if by_hand.assume else _INSIST


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


def _named(stated: Species, found: Species | None) -> Species:
    """The stated species; where it names no arrays, the one that was found says the same with names."""
    unnamed = any(part.name is None for part in (*stated.inputs, *stated.outputs))
    return found if unnamed and found is not None else stated
