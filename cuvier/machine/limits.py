"""How many processors a process may keep busy: its affinity, a quota of its control groups, real cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path("/")
GROUPS = "sys/fs/cgroup"


def cores() -> list[int]:
    """The numbers of the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def count(usable: list[int], root: Path = ROOT) -> int:
    """How many of the usable processors may be busy at once: a quota of control groups is rounded down."""
    return max(1, min([len(usable), *map(int, _quotas(root))]))


def physical(usable: list[int], root: Path = ROOT) -> int:
    """The cores behind the usable processors: hardware threads of one core share its vector units."""
    folder = root / "sys/devices/system/cpu"
    return len({read(folder / f"cpu{k}/topology/thread_siblings_list") or str(k) for k in usable})


def listed(text: str) -> list[int]:
    """The numbers in `0-3,8`."""
    pairs = [part.partition("-") for part in text.strip().split(",") if part]
    return [k for low, _, high in pairs for k in range(int(low), int(high or low) + 1)]


def read(file: Path) -> str:
    """The text of a file of the system; empty where there is none to be read."""
    try:
        return file.read_text(errors="replace").strip()
    except OSError:
        return ""


def _quotas(root: Path) -> Iterator[float]:
    """The processors that the control groups of this process allow, of either version."""
    for line in read(root / "proc/self/cgroup").splitlines():
        _, controllers, group = (*line.split(":", 2), "", "")[:3]
        if not controllers:
            yield from _around(root / GROUPS, group, _second_version)
        elif "cpu" in controllers.split(","):
            yield from _around(root / GROUPS / "cpu", group, _first_version)


def _around(mounted: Path, group: str, quota: Callable[[Path], float | None]) -> Iterator[float]:
    """The quotas of a group and of those around it; a container may see only the last as its root."""
    path = PurePosixPath(group.lstrip("/"))
    for each in (path, *path.parents):
        found = quota(mounted / each)
        if found is not None:
            yield found


def _second_version(folder: Path) -> float | None:
    quota, _, period = read(folder / "cpu.max").partition(" ")
    return _ratio(quota, period)


def _first_version(folder: Path) -> float | None:
    return _ratio(read(folder / "cpu.cfs_quota_us"), read(folder / "cpu.cfs_period_us"))


def _ratio(quota: str, period: str) -> float | None:
    """None where there is no limit: `max`, -1, or nothing at all."""
    if not (quota.isdigit() and period.isdigit() and int(period)):
        return None
    return int(quota) / int(period)
