"""Which folders of a project hold its own sources, which other people's, and which the build's."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

_OTHERS = re.compile(
    r"vendor(ed)?|third[_-]?party|3rd[_-]?party|extern(als?)?|deps|dependencies|subprojects|node_modules"
    r"|submodules",
    re.IGNORECASE,
)
_BUILT = re.compile(
    r"_?build([_-].*)?|builddir|cmake-build.*|CMakeFiles|out|dist|target|Debug|Release", re.IGNORECASE
)


def is_foreign(name: str) -> bool:
    """Do folders of this name hold code that the project only uses?"""
    return _OTHERS.fullmatch(name) is not None


def is_built(name: str) -> bool:
    """Do folders of this name hold what a build writes?"""
    return _BUILT.fullmatch(name) is not None


def left_out(file: PurePath) -> str | None:
    """The outermost folder above a file that is not the project's own source, as a path; None: it is."""
    parts = file.parts[:-1]
    at = next((k for k, name in enumerate(parts, 1) if is_foreign(name) or is_built(name)), None)
    return "/".join(parts[:at]) if at else None


def counted(files: Iterable[PurePath]) -> Counter[str]:
    """How many of the files there are below each top folder; `.` has those beside the folders."""
    return Counter(file.parts[0] if len(file.parts) > 1 else "." for file in files)


def build_folders(top: Path) -> Iterator[str]:
    """Folders directly below that a build writes to, whatever is in them now."""
    with os.scandir(top) as entries:
        names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    yield from filter(is_built, names)
