"""Did others use the machine while it was measured?  Then its rates are not what programs would have."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from cuvier.machine.limits import ROOT, read

OTHERS = 0.1  # of the processors' time that went to other processes: more is a disturbance
STOLEN = 0.05  # that a hypervisor gave to other systems
LOADED = 0.5  # processes that were running on average, where nobody tells the times


@dataclass(frozen=True)
class Moment:
    """Seconds since some time ago: on the clock, of the usable processors together, and of our processes.

    `busy` and `stolen` are None where the system does not tell (/proc/stat); `load` are processes.
    """

    clock: float
    busy: float | None
    stolen: float | None
    own: float
    load: float


def moment(usable: list[int], root: Path = ROOT) -> Moment:
    """Now."""
    busy, stolen = _processors(usable, root)
    times = os.times()
    own = times.user + times.system + times.children_user + times.children_system
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return Moment(time.monotonic(), busy, stolen, own, load)


def _processors(usable: list[int], root: Path) -> tuple[float | None, float | None]:
    """What the usable processors did, and what was stolen from them, in seconds."""
    lines = (line.split() for line in read(root / "proc/stat").splitlines())
    wanted = {f"cpu{k}" for k in usable}
    rows = [[int(word) for word in words[1:9]] for words in lines if words and words[0] in wanted]
    if not rows or any(len(row) < 8 for row in rows):
        return None, None
    tick = os.sysconf("SC_CLK_TCK")
    busy = sum(sum(row[k] for k in (0, 1, 2, 5, 6)) for row in rows)  # all but idle, waiting, and stolen
    return busy / tick, sum(row[7] for row in rows) / tick


def disturbances(before: Moment, after: Moment, processors: int) -> list[str]:
    """What others did between two moments, in words; nothing where it is not worth a word."""
    available = processors * (after.clock - before.clock)
    if after.busy is None or before.busy is None or after.stolen is None or before.stolen is None:
        return [_busy(before.load, "before")] if before.load > LOADED else []
    found = []
    others = after.busy - before.busy - (after.own - before.own)
    if others > OTHERS * available:
        found.append(_busy(processors * others / available, "meanwhile"))
    stolen = after.stolen - before.stolen
    if stolen > STOLEN * available:
        found.append(f"the hypervisor gave {100 * stolen / available:.0f} % of the time to other systems")
    return found


def _busy(processes: float, when: str) -> str:
    return f"other processes used {processes:.1f} processors {when}"


def apart(what: str, values: list[float], most: float) -> list[str]:
    """Repeated measurements that differ by more than a share of the larger, in words."""
    difference = 1 - min(values) / max(values)
    return [f"two measurements of {what} differ by {100 * difference:.0f} %"] if difference > most else []
