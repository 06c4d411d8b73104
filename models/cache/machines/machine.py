"""Reads descriptions of caches; `caches.schema.json` says what they hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from models.descriptors import read_descriptor
from models.errors import SkeletonError

EXTENSIONS = ("threads", "latencies", "associativity", "mshrs", "divergence", "coalescing")
_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class CacheLevel:
    """A cache; all sizes in bytes.  `ways` 0 is a fully associative one, `sector` 0 a whole line.

    `parities` make the index of the set: of each of its bits, the bits of the address whose parity it is,
    from the lowest on; without them the index is the line's number modulo the sets.  `writes`: `allocate`
    (they take a line, as reads do), `through` (they go to the next level) or `evict` (and drop the line).
    """

    name: str
    bytes: int
    line: int
    ways: int = 0
    sector: int = 0
    parities: tuple[tuple[int, ...], ...] = ()
    writes: str = "allocate"

    @property
    def lines(self) -> int:
        return self.bytes // self.line

    @property
    def sets(self) -> int:
        return self.lines // self.ways if self.ways else 1

    def without_associativity(self) -> CacheLevel:
        return replace(self, ways=0, parities=())


@dataclass(frozen=True)
class Gpu:
    """What runs threads.  Latencies are in time steps of the model, one for each request of a core.

    `warp` 0: no warps, threads one after the other.  `mshrs` 0: any number of misses in flight.
    """

    cores: int
    warp: int = 32
    active_blocks: int = 8
    active_threads: int = 1536
    mshrs: int = 0
    mshrs_per_warp: int = 0
    hit_latency: int = 0
    miss_latency: int = 0
    deviation: int = 0
    clips: bool = True
    diverges: bool = True
    coalesces: bool = True


@dataclass(frozen=True)
class CacheMachine:
    """Caches from the nearest to the farthest; with `gpu`, the first is a core's, and the second for all."""

    name: str
    levels: tuple[CacheLevel, ...]
    gpu: Gpu | None = None

    def without(self, extension: str) -> CacheMachine:
        """With one of EXTENSIONS turned off, as in the seed's ablation."""
        if extension == "associativity":
            return replace(self, levels=tuple(level.without_associativity() for level in self.levels))
        return replace(self, gpu=_without(self.gpu, extension)) if self.gpu else self


def _without(gpu: Gpu, extension: str) -> Gpu:
    changes: dict[str, dict[str, Any]] = {
        "threads": {"warp": 0},
        "latencies": {"hit_latency": 0, "miss_latency": 0, "deviation": 0},
        "mshrs": {"mshrs": 0, "mshrs_per_warp": 0},
        "divergence": {"diverges": False},
        "coalescing": {"coalesces": False},
    }
    return replace(gpu, **changes[extension])


def known_machines() -> tuple[str, ...]:
    """The names of those that come with Cuvier."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.yaml")))


def read_machine(name: str) -> CacheMachine:
    """The machine of that name, or in that file.  Raises SkeletonError for what is no valid description."""
    path = _FOLDER / f"{name}.yaml" if name in known_machines() else Path(name)
    if not path.is_file():
        known = ", ".join(known_machines())
        raise SkeletonError(f"{name}: no such machine; name a file, or one of {known}")
    found = read_descriptor(path, "models.cache.machines/caches.schema.json")
    levels = tuple(_level(path, each) for each in found["levels"])
    gpu = Gpu(**found["gpu"]) if "gpu" in found else None
    if gpu and len(levels) > 2:
        raise SkeletonError(f"{path}: a GPU has two levels at most: that of a core, and the one of all cores")
    return CacheMachine(found["name"], levels, gpu)


def _level(path: Path, found: dict[str, Any]) -> CacheLevel:
    parities = tuple(tuple(bits) for bits in found.pop("parities", ()))
    level = CacheLevel(**found, parities=parities)
    per_set = level.line * (level.ways or 1)
    if level.bytes % per_set:
        raise SkeletonError(
            f"{path}: {level.name}: {level.bytes} bytes are no multiple of {per_set}, a set's"
        )
    if parities and 1 << len(parities) != level.sets:
        raise SkeletonError(
            f"{path}: {level.name}: {len(parities)} parities do not tell {level.sets} sets apart"
        )
    return level
