"""What `perf script` prints: samples, maybe with callers (`perf record -g`) and lines (`-F +srcline`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cuvier.profiles.profile import Frame, Profile, Sample

_HEAD = re.compile(
    r"\S.*?\s+-?\d+(?:/-?\d+)?\s+(?:\[\d+\]\s+)?\d+\.\d+:\s+(?:(?P<period>\d+)\s+)?\S*[A-Za-z]\S*:\s*(?P<rest>.*)"
)
_FRAME = re.compile(r"\s*[0-9a-f]+\s+(?P<name>\S.*?)(?:\+0x[0-9a-f]+)?\s+\([^()]*\)\s*")
_SOURCE = re.compile(r"\s+(?P<file>\S.*?):(?P<line>\d+)(?:\s.*)?")


def read_perf(name: str, text: str) -> Profile | None:
    """The samples in `text`; None where there are none."""
    samples = tuple(_samples(text))
    return Profile("perf", name, samples) if samples else None


def _samples(text: str) -> Iterator[Sample]:
    weight, frames = 0.0, list[Frame]()
    for line in text.split("\n"):
        head = _HEAD.fullmatch(line.strip())
        if head is not None:
            if weight:
                yield Sample(weight, tuple(frames))
            weight, frames = float(head["period"] or 1), []
            _read(" " + head["rest"], frames)
        elif weight:
            _read(line, frames)
    if weight:
        yield Sample(weight, tuple(frames))


def _read(line: str, frames: list[Frame]) -> None:
    """A line behind a sample's head: a caller, or the place of the one before."""
    if frame := _FRAME.fullmatch(line):
        frames.append(Frame(frame["name"]))
    elif frames and frames[-1].line is None and (source := _SOURCE.fullmatch(line)):
        frames[-1] = Frame(frames[-1].function, source["file"], int(source["line"]))
