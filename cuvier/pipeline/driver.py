"""From a file on disk to its facts, and to its annotated text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cuvier.base.exits import Exit
from cuvier.base.files import read_text
from cuvier.base.syntax import first_error, openmp_error
from species import analyse
from species.analysis.options import DEFAULTS, AnalysisOptions
from species.annotate import AnnotateOptions, Room, annotate, disputed, mask, strip
from species.annotate.openmp import pragma_obstacle
from species.core.positions import Diagnostic, Position
from species.facts.loops import LoopFacts, UnitFacts
from species.source import PreprocessOptions, SourceError, TranslationUnit, read_translation_unit

if TYPE_CHECKING:
    from models.machine import Machine

_DISPUTED = "the build compiles the file in another way, too, in which that is not so"


@dataclass(frozen=True)
class Analysed:
    """A file, its text, and what came of it; no unit where it could not be read in."""

    path: Path
    text: str
    unit: TranslationUnit | None
    facts: UnitFacts


@dataclass(frozen=True)
class Way:
    """A way of compiling a file; `preprocessed` is its text then, where that is known."""

    preprocess: PreprocessOptions
    analysis: AnalysisOptions
    preprocessed: str | None = None


@dataclass(frozen=True)
class AnnotatedFile:
    """A file's text before and after; where it could not be annotated, `after` is None.

    `disputed` are the ids of loops that stay unmarked because of another way of compiling the file.
    """

    path: Path
    before: str
    after: str | None
    facts: UnitFacts
    disputed: frozenset[str] = frozenset()


def analyse_file(
    path: Path,
    options: PreprocessOptions,
    analysis: AnalysisOptions | None = None,
    text: str | None = None,
    preprocessed: str | None = None,
    *,
    complete: bool = False,
) -> Analysed:
    """Analyse the file, or a text in its place, as it is without our annotations, at its own places.

    `preprocessed` is what the preprocessor makes of it without them, where that is known already.

    A file that cannot be read in gives failed facts; so does one that neither our parser nor the
    compiler takes for C.  What only our parser does not know is left out.  Headers that are not found are
    taken to be empty, unless the file has to be `complete`.
    """
    text = read_text(path) if text is None else text
    masked = mask(text)
    try:
        forgiving = replace(options, forgiving=not complete)
        own = None if is_on_disk(path, masked) else masked
        unit = read_translation_unit(str(path), forgiving, own, preprocessed)
        if unit.status != "ok" and not unit.missing and (refused := first_error(path, masked, options)):
            return Analysed(path, text, None, _failed(path, _with_way_out(refused)))
        facts = analyse(unit, analysis or DEFAULTS)
        strange = next((d for d in facts.diagnostics if d.code == "CV006"), None)
        if strange and not unit.missing and first_error(path, masked, options):
            return Analysed(path, text, None, _failed(path, replace(strange, severity="error")))
        return Analysed(path, text, unit, facts)
    except RecursionError:
        return Analysed(path, text, None, _failed(path, _too_deep(path)))
    except SourceError as error:
        return Analysed(path, text, None, _failed(path, error.diagnostic))


def is_on_disk(path: Path, text: str) -> bool:
    """Is this what is in the file?"""
    try:
        return read_text(path) == text
    except OSError:
        return False


def annotate_file(
    path: Path,
    options: PreprocessOptions,
    annotations: AnnotateOptions,
    analysis: AnalysisOptions | None = None,
    text: str | None = None,
    preprocessed: str | None = None,
    *,
    copies: bool = False,
    machine: Machine | None = None,
    others: Sequence[Way] = (),
) -> AnnotatedFile:
    """Analyse the file, take old annotations out and put new ones in; with `copies`, also pragmas for these.

    With a `machine`, OpenMP pragmas stand where threads pay on it, without one wherever they may.  What is
    marked is marked alike in all `others`.  OpenMP pragmas are given to the C compiler before anybody sees
    them.
    """
    result = analyse_file(path, options, analysis, text, preprocessed)
    if result.facts.status == "failed":
        return AnnotatedFile(path, result.text, None, result.facts)
    before = result.text
    if copies:
        from cuvier.pipeline.copies import with_copies

        try:
            planned = with_copies(str(path), before, options, analysis or DEFAULTS)
        except SourceError as refused:
            return AnnotatedFile(path, before, None, _failed(path, refused.diagnostic))
        result = analyse_file(path, options, analysis, planned)
    text, facts = result.text, weighed(result, machine)
    again = (
        analyse_file(path, way.preprocess, way.analysis, text, None if copies else way.preprocessed)
        for way in others
    )
    more = [weighed(way, machine) for way in again]
    room = Room(result.unit) if result.unit is not None and annotations.style == "openmp" else None
    after = annotate(text, facts, annotations, more, room)
    for each in (options, *(way.preprocess for way in others)) if annotations.style == "openmp" else ():
        if error := openmp_error(path, after, strip(text), each):
            return AnnotatedFile(path, before, None, _failed(path, error))
    return AnnotatedFile(path, before, after, facts, disputed(text, facts, annotations, more))


def weighed(found: Analysed, machine: Machine | None) -> UnitFacts:
    """The facts, with what is worth threads on a machine; without one, everything is."""
    if machine is None or found.unit is None:
        return found.facts
    from models.profitability import profitable

    return profitable(found.unit, found.facts, machine)


def unmarked(
    facts: UnitFacts, options: AnnotateOptions, disputed: frozenset[str] = frozenset()
) -> list[Diagnostic]:
    """A note for every outermost parallel loop that an annotation passes over, though threads would pay."""
    parallel = {loop.id for loop in facts.loops if loop.verdict.is_parallel}
    found = []
    for loop in facts.loops:
        if loop.id in parallel and loop.parent not in parallel:
            why = _DISPUTED if loop.id in disputed else _why_unmarked(loop, facts.file, options)
            if why is not None:
                found.append(Diagnostic("note", "CV402", f"parallel, but not marked: {why}", loop.position))
    return found


def _why_unmarked(loop: LoopFacts, file: str, options: AnnotateOptions) -> str | None:
    if loop.position.file != file:
        return "it stands in an included file"
    if loop.whole is None or (loop.spans is None and options.style != "openmp"):
        return "it comes from a macro"
    if options.style == "openmp" and (obstacle := loop.openmp_obstacle or pragma_obstacle(loop)):
        otherwise = "; 'cuvier compile' gives it another counter" if loop.recount else ""
        otherwise = "; 'cuvier compile' gives threads copies" if loop.is_combined_in_copies else otherwise
        return f"OpenMP cannot state it safely: {obstacle}{otherwise}"
    if options.style == "openmp" and not loop.unprofitable:
        names = ", ".join(f"'{name}'" for name in loop.rounded)
        strict = bool(names) and options.strict_fp
        return f"threads would add up {names} in another order (--strict-fp)" if strict else None
    return None if options.style == "openmp" or loop.species else "array bounds unknown"


def exit_status(statuses: Sequence[str]) -> Exit:
    """Of files with these statuses: OK, or INPUT where every one failed, or NEGATIVE where only some did."""
    failed = statuses.count("failed")
    if not failed:
        return Exit.OK
    return Exit.INPUT if failed == len(statuses) else Exit.NEGATIVE


def _with_way_out(error: Diagnostic) -> Diagnostic:
    way_out = "correct it, or, if this is a compiler extension, define it away with -D NAME="
    return replace(error, message=f"{error.message}; {way_out}")


def _too_deep(path: Path) -> Diagnostic:
    message = (
        "an expression or statement is nested too deeply to be analysed; split it, or leave this file out"
    )
    return Diagnostic("error", "CV002", message, Position(str(path), 1, 1))


def _failed(path: Path, diagnostic: Diagnostic) -> UnitFacts:
    return UnitFacts(file=str(path), status="failed", diagnostics=(diagnostic,), loops=())
