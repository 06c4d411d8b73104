"""What limits loops on machines, and where that and the loops stand in the picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log10

from cuvier.document.model import Json

WIDTH, LEFT, RIGHT, TOP, PLOT = 480.0, 52.0, 12.0, 44.0, 300.0  # in units of the picture, which scales
_LEAST, _LARGEST = 2.0**-8, 2.0**12  # operations per byte that are shown at all
_NAMES = {"one_thread": "1 thread", "all_cores": "{cores} cores", "on_device": "{device}"}


@dataclass(frozen=True)
class Roof:
    """A place of a machine: the line that limits loops there, in bytes and operations per second."""

    name: str
    place: str
    loops: Sequence[Json]
    bandwidth: float
    peak: float
    plain: float

    def speed(self, loop: Json) -> float | None:
        """The operations per second of a loop, of whatever machine, here; None where it does not run here."""
        time = self._times.get((loop["file"], loop["id"]))
        return float(loop["operations"] / time["seconds"]) if time and time["seconds"] else None

    @cached_property
    def _times(self) -> dict[tuple[str, str], Json | None]:
        return {(each["file"], each["id"]): each[self.place] for each in self.loops}


@dataclass(frozen=True)
class Axes:
    """From operations per byte, and operations per second, to places in the picture."""

    low: float
    high: float
    bottom: float
    top: float

    def x(self, intensity: float) -> float:
        """Where an intensity stands."""
        part = log10(intensity / self.low) / log10(self.high / self.low)
        return LEFT + min(1.0, max(0.0, part)) * (WIDTH - LEFT - RIGHT)

    def y(self, speed: float) -> float:
        """How far from above a speed stands."""
        part = log10(speed / self.bottom) / log10(self.top / self.bottom)
        return TOP + PLOT * (1 - min(1.0, max(0.0, part)))


def intensity(each: Json) -> float | None:
    """Operations for each byte; None where there are none of either."""
    operations, moved = float(each["operations"]), float(each["bytes"])
    return min(_LARGEST, max(_LEAST, operations / moved)) if operations and moved else None


def roofs_of(machine: Json, double: bool, single: bool) -> Iterator[Roof]:
    """The places of a machine; one thread only where no other machine is in the picture."""
    kind = "double" if double else "single"
    for roof in machine["roofs"]:
        if (roof["place"] != "one_thread" or single) and roof[kind]:
            name = _NAMES[roof["place"]].format(cores=machine["cores"], device=machine["device"])
            full = name if single or roof["place"] == "on_device" else f"{machine['name']}, {name}"
            limits = roof["bandwidth"], roof[kind], roof[f"plain_{kind}"]
            yield Roof(full, roof["place"], machine["loops"], *limits)


def axes_of(roofs: Sequence[Roof], loops: Sequence[Json]) -> Axes:
    """Axes on which all roofs and loops have room."""
    intensities = [intensity(each) or 1.0 for each in loops]
    ridges = [roof.peak / roof.bandwidth for roof in roofs]
    low, high = min([0.1, *intensities]) / 2, max([*ridges, *intensities]) * 4
    speeds = [speed for roof in roofs for each in loops if (speed := roof.speed(each))]
    slowest = min([min(roof.plain, roof.bandwidth * low * 2) for roof in roofs] + speeds)
    return Axes(low, high, slowest / 2, max(roof.peak for roof in roofs) * 2)
