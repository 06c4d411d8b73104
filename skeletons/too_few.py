"""Loops of which a launch would take longer than they do, where the device is the host's own processor."""

from __future__ import annotations

from skeletons.ctext import words_in
from skeletons.emit.threshold import rounded
from skeletons.machine import Machine
from skeletons.openmp import seconds_of_one_core
from skeletons.subject import Subject
from skeletons.work import work_of

_FEWEST = 2  # iterations; below, the question would hardly ever be answered with yes


def too_few(subject: Subject, machine: Machine) -> int:
    """Below so many iterations of all base loops together, one core has made them before a launch has begun
    and the host has heard of its end; 0: never, or nobody can tell.

    Devices with a memory of their own are always asked: data would have to come back for the host.
    """
    device = machine.device(subject.target.name)
    if device.kind != "cpu" or subject.kernel.functions:
        return 0
    work = work_of(subject)
    body = subject.kernel.loops[-1].spans.body.of(subject.text)
    words = words_in(body) | subject.macro_names(body)
    counts = set().union(*(words_in(loop.trips or "") for loop in subject.kernel.loops))
    if not work.iterations or "while" in words or work.assumed_inside - counts:
        return 0
    saved = 1 - 1 / max(2, device.units)
    seconds = seconds_of_one_core(work, machine) / (work.iterations * 2 ** _triangles(subject))
    few = (device.launch + device.latency) / (saved * seconds)
    return rounded(few) if few >= _FEWEST else 0


def _triangles(subject: Subject) -> int:
    """How many base loops make half of the iterations that their greatest number says: as others go on."""
    loops, found = subject.kernel.loops, 0
    for place, loop in enumerate(loops):
        outer = {other.iterator for other in loops[:place]}
        found += bool(outer & words_in(f"{loop.lower} {loop.condition}"))
    return found
