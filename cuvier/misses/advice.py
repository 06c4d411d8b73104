"""What a user could change: said of the references that cost most, and only where the figures show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cuvier.misses.result import KernelMisses, Level, Reference, missed, percent
from models.cache import KINDS, Misses

_SHARE = 10.0  # per cent of what the first cache asks of the next: below, a reference is not spoken of
_SCATTERED = 8.0  # lines for the threads of a warp
_STRIDED = 0.5  # misses per access: with any use of neighbours there would be at most a half
_MOST = 3  # sentences for a kernel


@dataclass(frozen=True)
class Advice:
    """A sentence about a reference; `traffic` are the requests to the next level that it is about."""

    reference: Reference
    traffic: int
    text: str


def advice(kernel: KernelMisses) -> list[Advice]:
    """The most expensive first."""
    found = sorted(_all(kernel), key=lambda each: -each.traffic)
    return found[:_MOST]


def traffic(kernel: KernelMisses) -> list[int]:
    """For each reference, how often it asks the level after the first: misses, and writes that go through."""
    first = [missed(each) for each in kernel.levels[0].seen]
    if len(kernel.levels) < 2:
        return first
    return [max(own, each.accesses) for own, each in zip(first, kernel.levels[1].seen, strict=True)]


def lines_of_warp(kernel: KernelMisses, at: int) -> float:
    """How many lines (of writes, maybe sectors) a warp asks for at once; 0 where there are no warps."""
    first = kernel.levels[0].seen[at]
    beyond = kernel.levels[1].seen[at].accesses if kernel.levels[1:] else 0
    return (first.accesses or beyond) / first.turns if first.turns else 0.0


def threads_of_warp(kernel: KernelMisses, at: int) -> float:
    """How many threads of a warp ask at once; 0 where there are no warps."""
    first = kernel.levels[0].seen[at]
    return first.asked / first.turns if first.turns else 0.0


def _all(kernel: KernelMisses) -> Iterator[Advice]:
    amounts = traffic(kernel)
    whole = sum(amounts)
    for at, amount in enumerate(amounts):
        if amount < 64 or percent(amount, whole) < _SHARE:
            continue
        text = _sentence(kernel, at)
        if text:
            yield Advice(kernel.references[at], amount, text)


def _sentence(kernel: KernelMisses, at: int) -> str:
    level, lines, seen = kernel.levels[0], lines_of_warp(kernel, at), kernel.levels[0].seen[at]
    if lines >= _SCATTERED:
        return _scattered(kernel, at, lines)
    if kernel.copies:
        return "the kernel only copies one array to the other: swap their pointers, and all of it is saved"
    crowded = next((each for each in kernel.levels if _main_kind(each.seen[at]) == "associativity"), None)
    if not kernel.warp and missed(seen) >= _STRIDED * seen.accesses:
        return _strided(level, seen, _crowded(crowded, crowded.seen[at]) if crowded else "")
    if crowded is not None:
        return _crowded(crowded, crowded.seen[at])
    kind = _main_kind(seen)
    if kind == "capacity":
        return _capacity(level, seen)
    if kind == "mshr":
        return "its lines are lost while warps wait for free registers: fewer active threads would keep them"
    if kind == "compulsory" and missed(seen) >= _STRIDED * seen.accesses * (1 if kernel.warp else 0.2):
        return "every line is fetched once: only fewer bytes, or fusion with another kernel, would help"
    return ""


def _scattered(kernel: KernelMisses, at: int, lines: float) -> str:
    asks = (
        f"{threads_of_warp(kernel, at):.0f} threads ask for {lines:.0f} lines at once: they are a row apart"
    )
    if kernel.references[at].write and not kernel.levels[0].seen[at].accesses:
        name = kernel.levels[0].name
        return (
            f"{asks}. Writes go past {name}, and lines that are read stay in it: exchange the loops, so that"
            " this is written along rows, or go through a tile in shared memory"
        )
    return (
        f"{asks}. Let the parallel loop that runs along the last subscript be the innermost one, or go"
        " through a tile in shared memory"
    )


def _crowded(level: Level, seen: Misses) -> str:
    return (
        f"{_of(seen, 'associativity')} of its misses in {level.name} are for lines that share a set, while"
        f" others have room: make rows a line ({level.line_bytes} bytes) longer, so that they do not start a"
        " power of two apart"
    )


def _strided(level: Level, seen: Misses, crowded: str) -> str:
    """`crowded`: what is to be said of sets as well; maybe empty."""
    along = "let the innermost loop run along the last subscript"
    if crowded:
        return f"nearly every access takes another line: {along}. Besides, {crowded}"
    ago = _last_use(level, seen)
    return f"nearly every access takes another line, last used {ago}: {along}, or work in blocks"


def _capacity(level: Level, seen: Misses) -> str:
    way_out = "work in blocks, or fuse with the loop that used them before"
    return f"its lines were last used {_last_use(level, seen)}: {way_out}"


def _last_use(level: Level, seen: Misses) -> str:
    away = _typical_distance(seen.distances, level.lines) * level.line_bytes
    return (
        f"{_bytes(away)} of other lines ago, and {level.name} holds {_bytes(level.lines * level.line_bytes)}"
    )


def _main_kind(seen: Misses) -> str:
    most = max(range(len(KINDS) - 1), key=lambda kind: seen.misses[kind])
    return KINDS[most] if seen.misses[most] else ""


def _of(seen: Misses, kind: str) -> str:
    return f"{percent(seen.misses[KINDS.index(kind)], missed(seen)):.0f} %"


def _typical_distance(distances: Sequence[int], lines: int) -> int:
    """The distance from which most reuses that miss are on, as a power of two."""
    starts = [0, *(1 << bit for bit in range(len(distances) - 2))]
    beyond = [(count, start) for start, count in zip(starts, distances, strict=False) if 2 * start > lines]
    return max(max(beyond)[1], lines) if beyond else lines


def _bytes(number: int) -> str:
    return f"{number / 2**20:.1f} MB" if number >= 2**20 else f"{max(number // 1024, 1)} KB"
