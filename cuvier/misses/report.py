"""The findings as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from cuvier.misses.result import Findings, KernelMisses, Level, Reference
from models.cache import KINDS, Misses


def json_text(findings: Findings) -> str:
    """Ends with a newline."""
    return json.dumps(as_json(findings), indent=2) + "\n"


def as_json(findings: Findings) -> dict[str, Any]:
    """In the form of findings.schema.json."""
    return {
        "file": findings.file,
        "target": findings.target,
        "machine": findings.machine,
        "kernels": [_kernel(each) for each in findings.kernels],
        "notes": list(findings.notes),
    }


def _kernel(kernel: KernelMisses) -> dict[str, Any]:
    return {
        "name": kernel.name,
        "file": kernel.file,
        "line": kernel.line,
        "launches": {"examined": kernel.launches, "all": kernel.of},
        "cut": kernel.cut,
        "levels": [_level(kernel, level) for level in kernel.levels],
    }


def _level(kernel: KernelMisses, level: Level) -> dict[str, Any]:
    return {
        "name": level.name,
        "line_bytes": level.line_bytes,
        **_misses(level.total),
        "error": round(level.error, 6),
        "share": round(level.share, 6),
        "reuse_distances": _distances(level.total.distances),
        "references": list(_references(kernel.references, level.seen)),
    }


def _misses(misses: Misses) -> dict[str, Any]:
    kinds = dict(zip(KINDS, misses.misses, strict=True))
    return {"accesses": misses.accesses, "thread_accesses": misses.asked, "misses": kinds}


def _references(references: Sequence[Reference], seen: Sequence[Misses]) -> Iterable[dict[str, Any]]:
    for reference, misses in zip(references, seen, strict=True):
        place = {"array": reference.array, "text": reference.text, "line": reference.line}
        access = {"generated_line": reference.generated, "access": "write" if reference.write else "read"}
        yield {**place, **access, **_misses(misses)}


def _distances(counts: Sequence[int]) -> list[dict[str, int | None]]:
    """Where there are any: from distance `from` to below twice that; null for first accesses."""
    starts: list[int | None] = [0, *(1 << bit for bit in range(len(counts) - 2)), None]
    return [{"from": start, "count": count} for start, count in zip(starts, counts, strict=True) if count]
