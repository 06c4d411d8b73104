"""The processor as the system describes it: its name and its caches."""

from __future__ import annotations

import platform
import re
import subprocess
from pathlib import Path

from cuvier.machine import limits
from models.machine import DEFAULT, Cache

_LEVELS = {1: "LEVEL1_DCACHE", 2: "LEVEL2_CACHE", 3: "LEVEL3_CACHE", 4: "LEVEL4_CACHE"}
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def name(root: Path = Path("/")) -> str:
    """The model, in the system's words."""
    text = limits.read(root / "proc/cpuinfo")
    match = re.search(r"^(?:model name|Model|cpu model|cpu)\s*:\s*(\S.*)$", text, re.MULTILINE)
    told = " ".join(match[1].split()) if match else platform.processor()
    return told or platform.machine() or "a processor"


def caches(usable: list[int], root: Path = Path("/")) -> tuple[tuple[Cache, ...], str]:
    """The data caches of the first usable core, from the first level on, and where that was found.

    First /sys is asked, then `getconf`; where neither knows, the built-in description's caches are assumed.
    """
    found = _from_sys(usable, root)
    if found:
        return found, "/sys"
    found = _from_getconf(len(usable))
    return (found, "getconf") if found else (DEFAULT.caches, "assumed")


def _from_sys(usable: list[int], root: Path) -> tuple[Cache, ...]:
    folder = root / f"sys/devices/system/cpu/cpu{usable[0]}/cache"
    found = {c.level: c for index in sorted(folder.glob("index*")) if (c := _read_cache(index, usable))}
    return _without_gaps(found)


def _read_cache(index: Path, usable: list[int]) -> Cache | None:
    """The data cache that a folder of /sys describes."""
    try:
        if (index / "type").read_text().strip() not in ("Data", "Unified"):
            return None
        level = int((index / "level").read_text())
        size = _bytes((index / "size").read_text().strip())
    except (OSError, ValueError):
        return None
    sharing = len(set(usable) & set(limits.listed(limits.read(index / "shared_cpu_list")))) or 1
    line = limits.read(index / "coherency_line_size")
    return Cache(level, size, int(line) if line.isdigit() and int(line) else DEFAULT.line, sharing)


def _bytes(text: str) -> int:
    """`32K` as a number; ValueError for anything that is no size."""
    match = re.fullmatch(r"(\d+)([KMG]?)", text)
    if match is None or not int(match[1]):
        raise ValueError(text)
    return int(match[1]) * _UNITS[match[2]]


def _from_getconf(count: int) -> tuple[Cache, ...]:
    """As the C library says; who shares a cache it does not say: the last level of several, all do."""
    try:
        done = subprocess.run(["getconf", "-a"], capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    values = dict(re.findall(r"^(LEVEL\w+)\s+(\d+)$", done.stdout, re.MULTILINE))
    found = {}
    for level, prefix in _LEVELS.items():
        size, line = int(values.get(f"{prefix}_SIZE", 0)), int(values.get(f"{prefix}_LINESIZE", 0))
        if size:
            found[level] = Cache(level, size, line or DEFAULT.line, count if level > 2 else 1)
    return _without_gaps(found)


def _without_gaps(found: dict[int, Cache]) -> tuple[Cache, ...]:
    """The levels from the first one on, as far as they follow each other."""
    levels: list[Cache] = []
    while (level := len(levels) + 1) in found:
        levels.append(found[level])
    return tuple(levels)
