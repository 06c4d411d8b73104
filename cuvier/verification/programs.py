"""The two programs as texts, the original and the generated one, with watch calls behind every kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import or_
from pathlib import Path

from cuvier.base.errors import UserError
from cuvier.pipeline.driver import analyse_file
from cuvier.pipeline.generate import generate, options_for
from cuvier.verification.addresses import Addresses
from cuvier.verification.called import Called
from cuvier.verification.calls import SUMS, rounds, watch_calls
from cuvier.verification.globals import registration
from cuvier.verification.marks import expand, mark, mark_entries, marked
from cuvier.verification.sums import Adding
from skeletons import CompileOptions, Library, Program, SkeletonError, Target
from skeletons.catalogue.passes import THRESHOLD
from skeletons.program.host_file import asking_prefix
from species import analyse
from species.analysis.options import DEFAULTS, AnalysisOptions
from species.analysis.user_directives import calls_openmp, combines, uses_openmp
from species.core.positions import Position
from species.facts.loops import LoopFacts, UnitFacts
from species.source import PreprocessOptions, TranslationUnit, read_translation_unit

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
        made = _make(path, target, options, Library.load(skeleton_folders), analysis, generation)
    except SkeletonError as error:
        raise UserError(str(error)) from error
    return _Texts(path, target, made).programs()


@dataclass(frozen=True)
class _Made:
    """A file, the program that is generated of it, and the one of its marked text."""

    unit: TranslationUnit
    facts: UnitFacts
    target: Target
    plain: Program
    marked: Program


def _make(
    path: Path,
    target: str,
    options: PreprocessOptions,
    library: Library,
    analysis: AnalysisOptions,
    generation: CompileOptions,
) -> _Made:
    chosen = library.target(target)
    analysis = options_for(chosen, analysis)
    unit, facts = analysed(path, options, analysis)
    flags = _flags(options, generation)
    if chosen.schedules:  # what is too short at the sizes of a test need not be so at others
        flags = replace(flags, without=flags.without | {THRESHOLD})
    plain = generate(unit, facts, target, library, options, analysis, flags)
    twin = read_translation_unit(
        str(path), options, mark(unit.source.text, plain.replaced, entries=chosen.schedules)
    )
    again = analyse(twin, analysis)
    marked = generate(twin, again, target, library, options, analysis, flags, watched=True)
    return _Made(unit, facts, chosen, plain, marked)


class _Texts:
    """Both programs, with the calls of the watch library."""

    def __init__(self, path: Path, target: str, made: _Made) -> None:
        self._path, self._name, self._made = path, target, made
        called = Called(made.unit)
        self._owners = called.with_functions(called.with_sums(made.plain.replaced))
        inside = called.by_any(made.plain.replaced)
        self._watched = [loop for loop in self._owners if loop.kernel and loop.function not in inside]
        reasons = {_name(loop): rounds(loop, made.target.accelerator) for loop in self._watched}
        self._reasons = {name: why for name, why in reasons.items() if self._original_calls[name]}
        kernels = [loop for loop in self._watched if self._reasons.get(_name(loop), 0) & SUMS]
        self._openmp = openmp_flags(made.unit, target)
        loops = () if self._openmp else made.facts.loops  # nothing stands between loops that are collapsed
        self._adding = Adding(loops, kernels, called)

    def programs(self) -> Programs:
        """RuntimeError where the marks have changed what is generated."""
        made, ours = self._made, self._original_calls
        adds = bool(self._openmp) and combines(made.unit)
        end, chosen = registration(made.unit, reorders=adds), made.marked.choices
        return Programs(
            original=self._original + end,
            generated=self._generated(end),
            unwatched=made.plain.files if self._asks else {},
            target=made.target,
            kernels=tuple(c.kernel.name for c in chosen if c.skeleton and c.skeleton.target == self._name),
            positions={name: loop.position for name, loop in zip(ours, self._owners, strict=True)},
            rounds=reduce(or_, self._reasons.values(), 0),
            threads_add=adds,
            openmp=self._openmp,
            notes=tuple(f"{n} runs inside of other kernels, which are compared" for n in ours if not ours[n]),
        )

    @property
    def _original(self) -> str:
        text = mark_entries(self._made.unit.source.text, self._made.plain.replaced, self._adding.loops)
        entering = {name: self._adding.entry(name, why) for name, why in self._reasons.items()}
        return expand(text, self._original_calls, entering)

    def _generated(self, end: str) -> dict[str, str]:
        calls, files, host = self._calls(self._asks), self._made.marked.files, f"{self._path.stem}.c"
        _check_same_kernels(calls, self._made.marked)
        threads = {name: f'cuvier_watch_threads("{name}");' for name in calls if calls[name]}
        return {**files, host: expand(files[host], calls, threads) + end}

    @cached_property
    def _asks(self) -> str:
        """What is said before the host looks at data that stays on a device; maybe empty."""
        asks = f"{asking_prefix(self._made.unit)}reads_all"
        return f"{asks}(); " if any(asks in text for text in self._made.marked.files.values()) else ""

    @cached_property
    def _original_calls(self) -> dict[str, str]:
        return self._calls("")

    def _calls(self, before: str) -> dict[str, str]:
        """By kernel, what records it."""
        accelerator, addresses = self._made.target.accelerator, Addresses(self._made.unit)
        none = {_name(loop): "" for loop in self._owners if loop.kernel}
        return none | {_name(k): watch_calls(k, accelerator, addresses, before) for k in self._watched}


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
