"""The misses of a generated CUDA program's kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cuvier.misses.builds import Builder
from cuvier.misses.code_lines import CodeLines
from cuvier.misses.options import MissOptions
from cuvier.misses.recording import Launch, Recording
from cuvier.misses.references import Sources, is_copy, numbered, reference
from cuvier.misses.result import Findings, KernelMisses, Level, Reference
from cuvier.misses.running import run_recorder
from cuvier.misses.traces import places_of
from cuvier.pipeline.generate import generate, options_for
from cuvier.verification.programs import analysed, openmp_flags
from cuvier.verification.toolchain import Toolchain
from models.cache import NOTHING, CacheMachine, LevelMisses, Misses, Shared, Trace, gpu_misses
from skeletons import Library, Program

_DEVICE = "_device"  # what the names of generated kernels end in


def examine_kernels(path: Path, machine: CacheMachine, options: MissOptions, folder: Path) -> Findings:
    """Runs the generated program on the host shim."""
    library = Library.load(options.skeletons)
    analysis = options_for(library.target("cuda"), options.analysis)
    unit, facts = analysed(path, options.preprocess, analysis)
    program = generate(unit, facts, "cuda", library, options.preprocess, analysis, options.generation)
    if not program.replaced:
        return Findings(str(path), "cuda", machine.name, (), ("no loop of the file runs on a GPU",))
    for name, text in program.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    toolchain = Toolchain.find(options.preprocess)
    built = Builder(toolchain, path, folder, openmp_flags(unit, "cuda")).kernels(program.files)
    run_recorder(built, folder, options, machine.gpu.cores if machine.gpu else 1)
    run = _Run(path, unit.source.text, program, folder, machine)
    return Findings(str(path), "cuda", machine.name, tuple(run.kernels()), run.notes())


@dataclass
class _Launched:
    """A launch with its references and misses."""

    launch: Launch
    references: tuple[Reference, ...]
    levels: tuple[LevelMisses, ...]


class _Run:
    def __init__(self, path: Path, text: str, program: Program, folder: Path, machine: CacheMachine) -> None:
        self._path, self._folder, self._machine = path, folder, machine
        self._recording = Recording.read(folder / "places")
        (name,) = (name for name in program.files if name.endswith(".cu"))
        self._user, generated = Sources(path.name, text), Sources(name, program.files[name])
        self._spots = generated.spots(CodeLines.of(folder / "program"), self._recording.places)
        self._loops = {loop.kernel.name: loop.position for loop in program.replaced if loop.kernel}
        self._shared = [Shared(level) for level in machine.levels[1:]]

    def kernels(self) -> list[KernelMisses]:
        """In the order of their first launch."""
        looked_at = [self._launched(each) for each in self._recording.launches if each.count]
        times = Counter(each.kernel for each in self._recording.launches)
        names = list(dict.fromkeys(each.launch.kernel for each in looked_at))
        of = {name: [each for each in looked_at if each.launch.kernel == name] for name in names}
        return [self._kernel(name, of[name], times[name]) for name in names]

    def notes(self) -> tuple[str, ...]:
        idle = {each.kernel for each in self._recording.launches if not each.count and each.cores}
        return tuple(f"{name} asks for no device memory" for name in sorted(idle))

    def _loop(self, kernel: str) -> tuple[str, int]:
        position = self._loops.get(kernel.removesuffix(_DEVICE))
        return (position.file, position.line) if position else (str(self._path), 0)

    def _launched(self, launch: Launch) -> _Launched:
        trace = Trace.of_file(self._folder / "records", launch.first, launch.count)
        writes = places_of(trace)
        first = max(self._loop(launch.kernel)[1], 1)
        references, numbers = numbered([self._reference(*each, first) for each in sorted(writes.items())])
        of_place = dict(zip(sorted(writes), numbers, strict=True))
        all_numbers = [of_place.get(place, 0) for place in range(len(self._spots))]
        shared = self._shared[0] if self._shared else None
        places = self._recording.places
        found = gpu_misses(self._machine, trace, all_numbers, places, shared, launch.cores)
        return _Launched(launch, references, found)

    def _reference(self, place: int, write: bool, first: int) -> Reference:
        spot = self._spots[place]
        return reference(spot, self._user.line_of(spot.text, first, write), write)

    def _kernel(self, name: str, launches: Sequence[_Launched], times: int) -> KernelMisses:
        references = tuple(sorted({each for launch in launches for each in launch.references}))
        file, line = self._loop(name)
        levels = tuple(
            Level(shape.name, shape.line, shape.lines, _seen(references, launches, at), *_worst(launches, at))
            for at, shape in enumerate(self._machine.levels)
        )
        warp = self._machine.gpu.warp if self._machine.gpu else 0
        cut = any(each.launch.full for each in launches)
        shown = name.removesuffix(_DEVICE)
        copies = is_copy(references, self._user)
        return KernelMisses(shown, file, line, references, levels, len(launches), times, warp, cut, copies)


def _seen(references: Sequence[Reference], launches: Sequence[_Launched], level: int) -> tuple[Misses, ...]:
    sums = dict.fromkeys(references, NOTHING)
    for each in launches:
        for one, misses in zip(each.references, each.levels[level].references, strict=True):
            sums[one] = sums[one] + misses
    return tuple(sums.values())


def _worst(launches: Sequence[_Launched], level: int) -> tuple[float, float]:
    """The largest error, and the smallest share."""
    return max(each.levels[level].error for each in launches), min(
        each.levels[level].share for each in launches
    )
