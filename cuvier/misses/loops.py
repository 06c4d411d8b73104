"""The misses of a program's loop nests in the caches of a processor, on one core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from cuvier.misses.builds import Builder
from cuvier.misses.code_lines import CodeLines
from cuvier.misses.options import MissOptions
from cuvier.misses.recording import Recording
from cuvier.misses.references import Sources, Spot, numbered, reference
from cuvier.misses.result import Findings, KernelMisses, Level, summed
from cuvier.misses.running import run_recorder
from cuvier.misses.traces import count_of, places_of
from cuvier.verification.programs import analysed, openmp_flags
from cuvier.verification.toolchain import Toolchain
from models.cache import CacheMachine, LevelMisses, SequentialRun, Shared, Trace
from species.facts.loops import LoopFacts

_CUT = "only the first {:,} accesses are looked at; see --limit"


def examine_loops(path: Path, machine: CacheMachine, options: MissOptions, folder: Path) -> Findings:
    """Runs the program as it is, without threads."""
    unit, facts = analysed(path, options.preprocess, options.analysis)
    toolchain = Toolchain.find(options.preprocess)
    built = Builder(toolchain, path, folder, openmp_flags(unit, "c")).sequential()
    run_recorder(built, folder, options, cores=1)
    recording = Recording.read(folder / "places")
    spots = Sources(path.name, unit.source.text).spots(CodeLines.of(built), recording.places)
    trace = Trace.of_file(folder / "records", 0, count_of(folder / "records"))
    run = SequentialRun([Shared(level) for level in machine.levels], len(spots))
    run.run(trace)
    nests = [
        loop for loop in facts.loops if loop.parent is None and Path(loop.position.file).name == path.name
    ]
    owners = [_owner(nests, spot) for spot in spots]
    writes = places_of(trace)
    inside = [(nest, [at for at, owner in enumerate(owners) if owner is nest]) for nest in nests]
    seen = run.result()
    found = [_kernel(nest, places, spots, writes, seen, machine) for nest, places in inside]
    notes = (_CUT.format(options.limit),) if recording.cut else ()
    kernels = (replace(each, cut=recording.cut) for each in found if each.references)
    return Findings(str(path), "openmp", machine.name, tuple(kernels), notes)


def _owner(nests: Sequence[LoopFacts], spot: Spot) -> LoopFacts | None:
    return next((nest for nest in nests if nest.position.line <= spot.line <= nest.end_line), None)


def _kernel(
    nest: LoopFacts,
    places: Sequence[int],
    spots: Sequence[Spot],
    writes: dict[int, bool],
    seen: Sequence[LevelMisses],
    machine: CacheMachine,
) -> KernelMisses:
    """`places` are those in the nest."""
    used = [place for place in places if place in writes]
    named = [reference(spots[place], spots[place].line, writes[place]) for place in used]
    references, numbers = numbered(named)
    levels = []
    for shape, level in zip(machine.levels, seen, strict=True):
        sums = summed(references, numbers, [level.references[place] for place in used])
        levels.append(Level(shape.name, shape.line, shape.lines, sums, level.error, level.share))
    return KernelMisses(nest.id, nest.position.file, nest.position.line, references, tuple(levels))
