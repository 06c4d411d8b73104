"""The machine as the system describes it, without measuring: what holds until `cuvier machine` has run.

Cores, caches and vectors are read.  Rates are those of the built-in description for each core, at the width
of the vectors; how much several cores get from the memory, and what a region of many costs, follows from
rules that docs/machine.md states.
"""

from __future__ import annotations

import re
from pathlib import Path

from cuvier.machine import limits, processor
from cuvier.machine.store import SYSTEM
from models.machine import DEFAULT, Machine, Rate

WIDEST = 1.5  # times the built-in rate, at most
_SHORT = ("sse2", "asimd", "neon", "altivec", "vx")
_VECTORS = (("avx512f", 64), ("avx", 32), *((flag, 16) for flag in _SHORT))


def read_system(root: Path = limits.ROOT) -> Machine:
    """This machine; the built-in one where the system does not describe its processor (/proc/cpuinfo)."""
    told = limits.read(root / "proc/cpuinfo")
    if not told:
        return DEFAULT
    usable = limits.cores()
    cores, vectors = limits.count(usable, root), _vector_bytes(told)
    units = min(cores, limits.physical(usable, root))
    return Machine(
        name=processor.name(root),
        cores=cores,
        vector_bytes=vectors,
        caches=processor.caches(usable, root)[0],
        bandwidth=_bandwidth(cores),
        single=_operations(DEFAULT.single.one, vectors, units),
        double=_operations(DEFAULT.double.one, vectors, units),
        region=DEFAULT.region * max(1.0, cores / DEFAULT.cores),
        origin=SYSTEM,
    )


def _vector_bytes(told: str) -> int:
    """The bytes of the widest vectors that the flags of /proc/cpuinfo name; else those of one number."""
    lines = re.findall(r"^(?:flags|features|cpu)\s*:(.*)$", told, re.MULTILINE | re.IGNORECASE)
    words = set(re.findall(r"\w+", " ".join(lines).lower()))
    return next((size for flag, size in _VECTORS if flag in words), 8)


def _operations(one: float, vectors: int, units: int) -> Rate:
    """The built-in rate of a core at the width of its vectors; 512 bits are rarely twice as fast as 256."""
    each = one * min(vectors / DEFAULT.vector_bytes, WIDEST)
    return Rate(each, each * units)


def _bandwidth(cores: int) -> Rate:
    """Two cores keep a memory busy; machines with many cores have more of it, for every eighth one."""
    one = DEFAULT.bandwidth.one
    return Rate(one, one * min(cores, 2 + (cores // 8)))
