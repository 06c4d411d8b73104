"""The data caches of this machine, as Linux tells them."""

from __future__ import annotations

from pathlib import Path

from models.cache import CacheLevel, CacheMachine

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_USUAL = (("L1", 32 << 10, 8), ("L2", 1 << 20, 16), ("L3", 32 << 20, 16))


def this_machine(folder: Path = _CACHES) -> CacheMachine:
    """All levels with their size and ways; usual ones where the system does not tell."""
    found = [level for each in sorted(folder.glob("index*")) if (level := _level(each))]
    if found:
        return CacheMachine("this machine", tuple(found))
    usual = tuple(CacheLevel(name, size, 64, ways) for name, size, ways in _USUAL)
    return CacheMachine("a usual processor (this system does not tell its caches)", usual)


def _level(folder: Path) -> CacheLevel | None:
    try:
        kind, level, size, line, ways = (
            (folder / name).read_text().strip()
            for name in ("type", "level", "size", "coherency_line_size", "ways_of_associativity")
        )
    except OSError:
        return None
    if kind == "Instruction":
        return None
    in_bytes = int(size.rstrip("KM")) << {"K": 10, "M": 20}.get(size[-1], 0)
    associative = int(ways) if int(ways) and in_bytes % (int(line) * int(ways)) == 0 else 0
    return CacheLevel(f"L{level}", in_bytes, int(line), associative)
