"""What the recorder has written: places in code, and launches of kernels with their records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Launch:
    """A launch: where its records are in the file, on how many cores; 0 records: it was not recorded."""

    kernel: str
    first: int
    count: int
    cores: int
    full: bool


@dataclass(frozen=True)
class Recording:
    """`places` are addresses of code, by their numbers.  `cut`: there were more accesses than recorded."""

    places: tuple[int, ...]
    launches: tuple[Launch, ...]
    cut: bool

    @staticmethod
    def read(path: Path) -> Recording:
        words = [line.split(" ") for line in path.read_text(encoding="utf-8").splitlines()]
        places = {int(line[1]): int(line[2], 16) for line in words if line[0] == "place"}
        launches = tuple(_launches(words))
        cut = ["cut"] in words
        return Recording(tuple(places[number] for number in range(len(places))), launches, cut)


def _launches(words: list[list[str]]) -> Iterator[Launch]:
    first = 0
    lines = [line for line in words if line[0] in ("launch", "records")]
    for at, line in enumerate(lines):
        if line[0] != "launch":
            continue
        kernel = " ".join(line[4:])
        if line[3] == "0":
            yield Launch(kernel, first, 0, 0, full=False)
            continue
        _, count, _, cores, _, full = lines[at + 1]
        yield Launch(kernel, first, int(count), int(cores), full == "1")
        first += int(count)
