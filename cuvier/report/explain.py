"""`cuvier explain`: what a loop is, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cuvier.base.console import excerpt
from cuvier.base.errors import UserError
from cuvier.document.words import (
    distances_text,
    enumerated,
    own_copies_way,
    own_iterator,
    stages_way,
    traversal_way,
    tuple_text,
    verdict_sentence,
    wavefront_way,
)
from species.core.positions import Position
from species.facts.loop_forms import Traversal
from species.facts.loops import LoopFacts, Reason, UnitFacts, Verdict
from species.grammar.nodes import ArraySpecies

Texts = Callable[[str], str]  # the text of a file, by its name
CLASSES = {
    "doall": "no iteration depends on another",
    "doacross-regular": "iterations depend on each other at a constant distance",
    "doacross-irregular": "iterations depend on each other at distances that vary",
    "dosequential": "each iteration needs the one before it",
    "while": "the number of iterations is not known when it starts",
    "unknown": "its dependences are not known",
}
TAKEN = {  # where nothing is proven
    "doacross-regular": "iterations may depend on each other at a constant distance",
    "doacross-irregular": "iterations may depend on each other at distances that vary",
    "dosequential": "each iteration may need the one before it",
}


def loops_at(unit: UnitFacts, line: int) -> list[LoopFacts]:
    """The loops that start on `line` of the unit's file, or else the innermost loop around it."""
    own = [loop for loop in unit.loops if loop.position.file == unit.file]
    starting = [loop for loop in own if loop.position.line == line]
    around = [loop for loop in own if loop.position.line <= line <= loop.end_line]
    if starting:
        return starting
    if around:
        return [max(around, key=lambda loop: loop.depth)]
    known = ", ".join(str(loop.position.line) for loop in own)
    several = f"loops start on the lines {known}" if "," in known else f"a loop starts on line {known}"
    hint = several if known else "the file has no loops"
    raise UserError(f"no loop on this line; {hint}", Position(unit.file, line, 1))


def explain(loop: LoopFacts, text_of: Texts, tuples: bool = False, verbose: bool = False) -> str:
    """All that is known of `loop`, as lines of prose with excerpts of the source.

    With `tuples`, also its characterisations and, where the facts have them, those of its statements; with
    `verbose`, its conditions as C, too.
    """
    return "\n".join(_lines(loop, text_of, tuples, verbose)) + "\n"


def _lines(loop: LoopFacts, text_of: Texts, tuples: bool, verbose: bool) -> Iterator[str]:
    text = text_of(loop.position.file)
    name = f"{loop.kind} loop" + (f" over {iterator}" if (iterator := own_iterator(loop, text)) else "")
    yield f"{loop.position}: the {name} in {loop.function}, lines {loop.position.line} to {loop.end_line}"
    yield from excerpt(loop.position, text)
    yield f"It is {verdict_sentence(loop)}" + (":" if loop.conditions else ".")
    yield from _conditions(loop, verbose)
    yield _class(loop)
    if loop.distances:
        yield f"Its distance vectors are {distances_text(loop)}."
    if loop.wavefront:
        yield from _wavefront(loop)
    if loop.traversal is not None:
        yield from _traversal(loop.traversal)
    if loop.stages is not None:
        way = stages_way(loop.stages.first is not None, loop.stages.last is not None)
        yield f"It can run in stages: {way}."
    if loop.deferral is not None:
        lines = [str(line) for line in sorted({each.line for each in loop.deferral.late})]
        where = f"line{'' if len(lines) == 1 else 's'} {enumerated(lines)}"
        yield f"What it does in {where} can be put off (cuvier compile --target openmp)."
    if copies := loop.copied_for_threads:
        way = own_copies_way(copies)
        yield f"{way[0].upper()}{way[1:]}."
    if loop.tags:
        yield f"Its tags are {enumerated(loop.tags)}."
    if len(loop.base_loops) > 1 and loop.verdict.is_parallel:
        yield f"This holds for the loops over {enumerated(loop.base_loops)} together."
    yield from _species(loop)
    if tuples:
        yield from _characterisations(loop, text_of)
    yield from _variables(loop)
    yield from _worth(loop)
    for reason in sorted(loop.reasons, key=lambda reason: not reason.proven):
        yield f"{_introduction(reason, loop)}: {reason.message} [{reason.code}]"
        yield from _places(reason, text_of)
    if loop.reasons:
        codes = dict.fromkeys(reason.code for reason in loop.reasons)
        yield f"What would help: {', '.join(f'cuvier reasons {code}' for code in codes)}"


def _wavefront(loop: LoopFacts) -> Iterator[str]:
    planes = enumerated(loop.wavefront)
    yield f"A wavefront makes it parallel: no dependence crosses one of the hyperplanes {planes} backwards,"
    way = wavefront_way(len(loop.wavefront))
    yield f"so that tiles along a diagonal need nothing of each other{way}."


def _traversal(found: Traversal) -> Iterator[str]:
    yield f"It leaves the list alone, along which '{found.variable}' goes: its nodes can be looked up first."
    if found.independent:
        yield f"Nothing else ties its iterations together: {traversal_way(found.variable)}."


def _worth(loop: LoopFacts) -> Iterator[str]:
    if loop.unprofitable and loop.verdict.is_parallel:
        yield f"It is not worth threads: {loop.unprofitable}."
    elif loop.asked and loop.verdict.is_parallel:
        yield f"It is worth threads if {loop.asked}."


def _conditions(loop: LoopFacts, verbose: bool) -> Iterator[str]:
    for condition, words in zip(loop.conditions, loop.condition_words, strict=True):
        yield f"  {words}"
        if verbose:
            yield f"    {condition}"


def _class(loop: LoopFacts) -> str:
    """The class, which is only taken for granted where nothing is proven."""
    name = loop.loop_class.value
    said = "is" if loop.proven or name not in TAKEN else "is taken to be"
    return f"Its class {said} {name}: {CLASSES[name] if said == 'is' else TAKEN[name]}."


def _species(loop: LoopFacts) -> Iterator[str]:
    if loop.species is None:
        return
    yield f"Its species is {loop.species}" + ("." if loop.exact else ", which is over-approximated.")
    for verb, parts in (("reads", loop.species.inputs), ("writes", loop.species.outputs)):
        for part in parts:
            yield f"  Each iteration {verb} {_part(part)}."
    for each in loop.characterisations:
        if each.why:
            yield f"  What it says of {each.name} is over-approximated: {'; '.join(each.why)}."


def _characterisations(loop: LoopFacts, text_of: Texts) -> Iterator[str]:
    if loop.characterisations:
        yield "Its array references are"
        yield from (f"  {tuple_text(each)}" for each in loop.characterisations)
    for statement in loop.statements:
        more = "" if statement.complete else ", as far as its subscripts have names"
        yield f"One execution of this statement touches{more}"
        yield from excerpt(statement.position, text_of(statement.position.file))
        yield from (f"  {tuple_text(each)}" for each in statement.characterisations)


def _part(part: ArraySpecies) -> str:
    name = part.name or "an array"
    region = f"{name}[{','.join(map(str, part.domain))}]"
    ranges = ", ".join(str(each) if each else "-" for each in part.pattern.ranges)
    return {
        "element": f"one element of {region}",
        "neighbourhood": f"a neighbourhood ({ranges}) of its own element in {region}",
        "chunk": f"a chunk ({ranges}) of its own in {region}",
        "full": f"all of {region}",
        "shared": f"cells of {region} that all iterations share",
    }[part.pattern.kind]


def _variables(loop: LoopFacts) -> Iterator[str]:
    for names, words in (
        (loop.private, "of its own"),
        (loop.firstprivate, "of its own, with the value from before the loop"),
        (loop.lastprivate, "of its own, and the last iteration's value is kept"),
        (loop.lastprivate_conditional, "of its own, and the last value that is assigned is kept"),
    ):
        if names:
            yield f"Each iteration has {enumerated(names)} {words}."
    for linear in loop.linear:
        yield f"Each iteration adds {linear.step or 'the same amount'} to {linear.variable}."
    for each in loop.reductions:
        if each.keeps:
            found = enumerated((each.variable, *each.with_it))
            yield f"The iterations look for {found} of the {each.operator}, the {each.keeps} of equals."
            continue
        yield f"The iterations combine their results in {each.variable} with {each.operator}."


def _introduction(reason: Reason, loop: LoopFacts) -> str:
    """What a reason is for: proof, or what keeps the opposite from being proven."""
    if loop.verdict.is_parallel:
        return "Note"
    if reason.proven or loop.verdict is Verdict.UNKNOWN:
        return "Why"
    return "Besides, this is not excluded" if loop.proven else "Why it is not proven"


def _places(reason: Reason, text_of: Texts) -> Iterator[str]:
    for position in dict.fromkeys((reason.position, *reason.related)):
        yield f"  {position}"
        yield from excerpt(position, text_of(position.file))
