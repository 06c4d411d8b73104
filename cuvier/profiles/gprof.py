"""gprof's flat profile, by functions or (`gprof -l`) by lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cuvier.profiles.profile import Frame, Profile, Sample

_TITLE = re.compile(r"^\s*%\s+cumulative\s+self\b.*\n\s*time\s+seconds\s+seconds\b.*\n", re.MULTILINE)
_ROW = re.compile(
    r"\s*(?P<percent>[\d.]+)\s+[\d.]+\s+(?P<self>[\d.]+)\s+(?:[\d.]+\s+){0,3}(?P<name>[^\s\d].*)"
)
_LINE = re.compile(r"(?P<function>\S+) \((?P<file>.+):(?P<line>\d+) @ [0-9a-f]+\)")


def read_gprof(name: str, text: str) -> Profile | None:
    """The flat profile in `text`; None where there is none."""
    title = _TITLE.search(text)
    if title is None:
        return None
    rows = list(_rows(text[title.end() :]))
    timed = any(seconds for seconds, _, _ in rows)  # else only the share in percent tells
    samples = tuple(Sample(seconds if timed else share, (frame,)) for seconds, share, frame in rows)
    return Profile("gprof", name, samples)


def _rows(text: str) -> Iterator[tuple[float, float, Frame]]:
    for line in text.split("\n"):
        row = _ROW.match(line)
        if row is None:
            return
        placed = _LINE.fullmatch(row["name"].strip())
        frame = Frame(row["name"].split()[0])
        if placed:
            frame = Frame(placed["function"], placed["file"], int(placed["line"]))
        yield float(row["self"]), float(row["percent"]), frame
