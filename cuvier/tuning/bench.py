"""The workbench: a program with clocks, compiled with given parameters, built, run and compared."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from cuvier.base.errors import UserError
from cuvier.base.processes import Outcome, run
from cuvier.pipeline.base.reading import Reader
from cuvier.pipeline.generate import options_for, prepared
from cuvier.tuning.clocks import running, with_clocks
from cuvier.tuning.subjects import Subject, subjects_of
from cuvier.verification.called import Called
from cuvier.verification.output import compare_output
from cuvier.verification.programs import analysed, openmp_flags
from cuvier.verification.toolchain import BUILD_TIMEOUT, Toolchain
from skeletons import CompileOptions, Library, Program, SkeletonError, compile_unit
from skeletons.catalogue.descriptor import Parameter
from skeletons.select.tuned import PRODUCTS_KEY, Tuned, TuningKey
from skeletons.sums.contraction import tuning_of
from species import analyse
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit
from transfers import around_kernels

HERE = Path(__file__).parent
RUNS = 2  # of every program; the fastest counts


class Bench:
    """A file, ready to be compiled for a target again and again."""

    def __init__(
        self,
        path: Path,
        target: str,
        flags: PreprocessOptions,
        analysis: AnalysisOptions,
        skeletons: tuple[Path, ...],
        generation: CompileOptions,
    ) -> None:
        self._path, self._target, self._library = path, target, Library.load(skeletons)
        folders = tuple(str(Path(folder).resolve()) for folder in flags.include_dirs)
        self._options = replace(
            generation,
            include_dirs=folders,
            defines=flags.defines,
            std=flags.std,
            flags=flags.absolute_flags(),
        )
        self.toolchain = Toolchain.find(flags)
        chosen = self._library.target(target)
        analysis = options_for(chosen, analysis)
        unit, facts = analysed(path, flags, analysis)
        self.original = unit.source.text
        unit, facts, _ = prepared(
            unit, facts, chosen, self._library, Reader(str(path), flags, analysis), self._options
        )
        first = compile_unit(unit, facts, around_kernels(facts), target, self._library, self._options)
        inside = Called(unit).by_any(first.replaced)
        loops = [loop for loop in first.replaced if loop.kernel and loop.function not in inside]
        self._numbers = {loop.kernel.name: n for n, loop in enumerate(loops) if loop.kernel}
        self._unit = read_translation_unit(str(path), flags, with_clocks(unit.source.text, loops))
        self._facts = analyse(self._unit, analysis)
        program = self.program({})
        if [c.kernel.name for c in program.choices] != [c.kernel.name for c in first.choices]:
            raise UserError(f"{path}: its kernels change when timers are added; please report this")
        found = [s for s in subjects_of(program.choices) if set(s.kernels) & set(self._numbers)]
        self.subjects = [replace(s, parameters=self._used(s, program.files)) for s in found]

    def _given(self, key: TuningKey) -> Mapping[str, int]:
        """The parameters of a key that are not the skeleton's defaults."""
        machine = tuning_of(self._options.machine) if key == PRODUCTS_KEY else {}
        return {**machine, **self._options.tuned.get(key, {}), **self._options.parameters}

    def start(self, subject: Subject) -> dict[str, int]:
        """The parameters that its kernels have without tuning."""
        given = self._given(subject.key)
        return {p.name: min(p.high, max(p.low, given.get(p.name, p.default))) for p in subject.parameters}

    def _used(self, subject: Subject, files: Mapping[str, str]) -> tuple[Parameter, ...]:
        """Those that make a difference: a kernel of one loop has no use for the second size of a block."""
        start = self.start(subject)
        used = []
        for parameter in subject.parameters:
            value = start[parameter.name]
            other = value * 2 if value * 2 <= parameter.high else value // 2
            changed = {subject.key: {**start, parameter.name: max(other, parameter.low)}}
            if self.program(changed).files != files:
                used.append(parameter)
        return tuple(used)

    def program(self, tuned: Tuned) -> Program:
        """The generated program with these parameters, its marks still in it."""
        options = replace(self._options, tuned={**self._options.tuned, **tuned})
        plan = around_kernels(self._facts)
        return compile_unit(self._unit, self._facts, plan, self._target, self._library, options)

    def prepare(self, folder: Path) -> None:
        """Build what all programs need: the timer."""
        self._folder = folder
        self.toolchain.compile(
            ["-O2", "-fPIC", "-c", str(HERE / "timer.c"), "-o", str(folder / "timer.o")], folder, "the timer"
        )

    def reference(self, arguments: tuple[str, ...], timeout: float) -> Outcome:
        """What the original program prints."""
        folder = self._folder / "original"
        openmp = openmp_flags(self._unit, self._target)
        program = self.toolchain.build_original(self.original, self._path, folder, (), openmp)
        outcome = run([program, *arguments], Path.cwd(), timeout)
        if outcome.timed_out or outcome.status < 0:
            raise UserError(
                f"the original program {self._path} {outcome.ending}: {outcome.complaint or 'it is silent'};"
                f" arguments for it come after --, and --timeout gives it more than {timeout:g} s"
            )
        return outcome

    def measure(
        self, tuned: Tuned, arguments: tuple[str, ...], expected: Outcome, timeout: float
    ) -> dict[TuningKey, float] | str:
        """Seconds by key; why there are none, where the program does not build, run or print the same."""
        try:
            texts = self.program(tuned).files
        except SkeletonError as error:
            return str(error)
        folder = self._folder / "generated"
        program = self._built(texts, folder)
        if isinstance(program, str):
            return program
        best: dict[TuningKey, float] = {}
        for _ in range(RUNS):
            seconds = self._run(program, arguments, expected, timeout)
            if isinstance(seconds, str):
                return seconds
            best = {key: min(value, best.get(key, value)) for key, value in seconds.items()}
        return best

    def _built(self, texts: Mapping[str, str], folder: Path) -> Path | str:
        shutil.rmtree(folder, ignore_errors=True)
        for name, text in texts.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(running(text, self._numbers).encode("utf-8", "surrogateescape"))
        done = run(["make", "-C", folder, *self._variables(texts)], self._folder, BUILD_TIMEOUT)
        return folder / self._path.stem if done.status == 0 else f"it does not build: {done.complaint}"

    def _variables(self, texts: Mapping[str, str]) -> list[str]:
        """For `make`: a compiler that knows the timer.  nvcc links, and takes it as a library."""
        compiler = shlex.join([*self.toolchain.cc, "-w", "-include", str(HERE / "timer.h")])
        timer = shlex.quote(str(self._folder / "timer.o"))
        if any(name.endswith(".cu") for name in texts):
            return [f"CC={compiler}", f"LDLIBS=-lm {timer}"]
        return [f"CC={compiler} {timer}"]

    def _run(
        self, program: Path, arguments: tuple[str, ...], expected: Outcome, timeout: float
    ) -> dict[TuningKey, float] | str:
        sums = self._folder / "sums"
        sums.unlink(missing_ok=True)
        outcome = run([program, *arguments], Path.cwd(), timeout, {"CUVIER_TIMER_FILE": str(sums)})
        if outcome.timed_out or outcome.status != expected.status:
            return f"it {outcome.ending}: {outcome.complaint}"
        compared = compare_output(expected.stdout, outcome.stdout, exact=False)
        if not compared.ok:
            return f"it prints something else: {compared.message}"
        lines = sums.read_text().split("\n") if sums.exists() else []
        by_number = {int(words[0]): float(words[2]) for line in lines if (words := line.split())}
        by_name = {name: by_number.get(number, 0.0) for name, number in self._numbers.items()}
        return {s.key: sum(by_name.get(name, 0.0) for name in s.kernels) for s in self.subjects}
