"""The two programs as texts, the original and the generated one, with watch calls behind every kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from pathlib import Path

from cuvier.driver import analyse_file
from cuvier.errors import UserError
from cuvier.generate import generate, options_for
from cuvier.verification.adding import Adding
from cuvier.verification.addresses import Addresses
from cuvier.verification.called import Called
from cuvier.verification.calls import SUMS, rounds, watch_calls
from cuvier.verification.globals import registration
from cuvier.verification.marks import expand, mark, mark_entries, marked
from skeletons import CompileOptions, Library, Program, SkeletonError, Target
from skeletons.host_file import asking_prefix
from species import analyse
from species.facts import LoopFacts, UnitFacts
from species.options import DEFAULTS, AnalysisOptions
from species.positions import Position
from species.source import PreprocessOptions, TranslationUnit, read_translation_unit
from species.users_directives import calls_openmp, combines, uses_openmp

AS_GENERATED = CompileOptions()


@dataclass(frozen=True)
class Programs:
    """Texts that are ready to be built."""

    original: str
    generated: Mapping[str, str]  # by relative path
    unwatched: Mapping[str, str]  # as the user gets it, where watching changes how data moves; or empty
    target: Target
    kernels: tuple[str, ...]  # those that were replaced
    positions: Mapping[str, Position]  # of the kernels' loops in the user's file
    rounds: int = 0  # why what kernels leave may differ by rounding, as `calls.rounds` says
    threads_add: bool = False  # the user's own threads combine numbers in any order
    openmp: tuple[str, ...] = ()  # the flag for OpenMP, where both are built with it and it matters
    notes: tuple[str, ...] = ()  # what is not compared, and why


def make_programs(
    path: Path,
    target: str,
    options: PreprocessOptions,
    skeleton_folders: tuple[Path, ...],
    analysis: AnalysisOptions = DEFAULTS,
    generation: CompileOptions = AS_GENERATED,
) -> Programs:
    """Analyse and compile the file.  UserError says what is wrong with the input.

    The generated program is made from the marked text, which is the original to the analyser and to the
    skeletons: marks are comments (and braces around single statements) outside the kernels.
    """
    try:
        library = Library.load(skeleton_folders)
        chosen = library.target(target)
        analysis = options_for(chosen, analysis)
        unit, facts = analysed(path, options, analysis)
        flags = _flags(options, generation)
        made = (target, library, options, analysis, flags)
        first = generate(unit, facts, *made)
        owners = first.replaced
        twin = read_translation_unit(str(path), options, mark(unit.source.text, owners))
        again = analyse(twin, analysis)
        program = generate(twin, again, *made, watched=True)
    except SkeletonError as error:
        raise UserError(str(error)) from error
    called = Called(unit)
    inside, owners = called.by_any(owners), called.with_functions(called.with_sums(owners))
    openmp = openmp_flags(unit, target)
    adds = bool(openmp) and combines(unit)
    end, host = registration(unit, reorders=adds), f"{path.stem}.c"
    asks = f"{asking_prefix(unit)}reads_all();"
    stays = any(asks.removesuffix("();") in text for text in program.files.values())
    watched = [loop for loop in owners if loop.kernel and loop.function not in inside]

    def calls(before: str) -> dict[str, str]:
        addresses, none = Addresses(unit), {_name(loop): "" for loop in owners if loop.kernel}
        return none | {_name(k): watch_calls(k, chosen.accelerator, addresses, before) for k in watched}

    ours, theirs = calls(""), calls(f"{asks} " if stays else "")
    _check_same_kernels(ours, program)
    reasons = {_name(loop): rounds(loop, chosen.accelerator) for loop in watched if ours[_name(loop)]}
    adding = Adding(facts.loops, [loop for loop in watched if reasons.get(_name(loop), 0) & SUMS], called)
    entering = {name: adding.entry(name, why) for name, why in reasons.items()}
    return Programs(
        original=expand(mark_entries(unit.source.text, first.replaced, adding.loops), ours, entering) + end,
        generated={**program.files, host: expand(program.files[host], theirs) + end},
        unwatched=first.files if stays else {},
        target=chosen,
        kernels=tuple(c.kernel.name for c in program.choices if c.skeleton and c.skeleton.target == target),
        positions={name: loop.position for name, loop in zip(ours, owners, strict=True)},
        rounds=reduce(or_, reasons.values(), 0),
        threads_add=adds,
        openmp=openmp,
        notes=tuple(f"{n} runs inside of other kernels, which are compared" for n in ours if not ours[n]),
    )


def _name(loop: LoopFacts) -> str:
    assert loop.kernel is not None
    return loop.kernel.name


def openmp_flags(unit: TranslationUnit, target: str) -> tuple[str, ...]:
    """The flag for OpenMP, where the generated program is built with it and it may matter to the original."""
    needed = calls_openmp(unit) or (target == "openmp" and uses_openmp(unit))
    return ("-fopenmp",) if needed else ()


def analysed(
    path: Path, options: PreprocessOptions, analysis: AnalysisOptions
) -> tuple[TranslationUnit, UnitFacts]:
    """The file and its facts; UserError where it cannot be read, or is no whole program."""
    result = analyse_file(path, options, analysis, complete=True)
    if result.unit is None or result.facts.status == "failed":
        raise UserError.of(result.facts.diagnostics[0])
    if not result.unit.defines("main"):
        raise UserError(
            "defines no function main; the program is to be run: add a main that calls the functions",
            Position(str(path), 1, 1),
        )
    return result.unit, result.facts


def _flags(options: PreprocessOptions, generation: CompileOptions) -> CompileOptions:
    folders = tuple(str(Path(folder).resolve()) for folder in options.include_dirs)
    return replace(
        generation,
        include_dirs=folders,
        defines=options.defines,
        std=options.std,
        flags=options.absolute_flags(),
    )


def _check_same_kernels(calls: Mapping[str, str], program: Program) -> None:
    """The marks must have changed nothing, and all of them must have arrived."""
    found = [loop.kernel.name for loop in program.replaced if loop.kernel]
    arrived = [name for text in program.files.values() for name in marked(text)]
    if found != list(calls) or sorted(arrived) != sorted(calls):
        raise RuntimeError(f"kernels {list(calls)}, with marks {found}, in the generated program {arrived}")
