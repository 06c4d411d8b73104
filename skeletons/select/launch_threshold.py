"""Loops of which a launch would take longer than they do, where the device is the host's own processor."""

from __future__ import annotations

from math import prod

from models.machine import Machine, core_seconds
from models.run_time_thresholds import rounded
from skeletons.cost.work import work_of
from skeletons.kernel.context import Subject
from species.source.text.code import words_in

_FEWEST = 2  # iterations; below, the question would hardly ever be answered with yes


def too_few(subject: Subject, machine: Machine) -> int:
    """Below so many iterations of all loops together that are spread over threads, one core has made them
    before a launch has begun and the host has heard of its end; 0: never, or nobody can tell.

    Devices with a memory of their own are always asked: data would have to come back for the host.
    """
    device = machine.device(subject.target.name)
    if device.kind != "cpu" or subject.kernel.functions:
        return 0
    work = work_of(subject)
    body = subject.kernel.loops[-1].spans.body.of(subject.text)
    words = words_in(body) | subject.macro_names(body)
    counts = set().union(*(words_in(loop.trips or "") for loop in subject.kernel.loops))
    inner = [loop.trips or "" for loop in subject.kernel.loops[len(subject.spread) :]]
    if not all(trips.isdigit() for trips in inner):
        return 0
    if not work.iterations or "while" in words or work.assumed_inside - counts:
        return 0
    saved = 1 - 1 / max(2, device.units)
    made = work.iterations * 2 ** _triangles(subject) / max(1, prod(map(int, inner)))
    each = core_seconds(work.operations, work.bytes, machine, double=work.double) / made
    if not each:
        return 0  # an iteration does nothing that takes time
    few = (device.launch + device.latency) / (saved * each)
    return rounded(few) if few >= _FEWEST else 0


def _triangles(subject: Subject) -> int:
    """How many loops make half of the iterations that their greatest number says, as others go on: those of
    which one end depends on these.  (Where both do, they move, as tiles do.)
    """
    loops, found = subject.spread, 0
    for place, loop in enumerate(loops):
        outer = {other.iterator for other in loops[:place]}
        found += bool(outer & words_in(loop.lower)) != bool(outer & words_in(loop.condition))
    return found
