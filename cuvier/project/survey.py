"""What there is in a project that settings should say."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cuvier.base.console import warn
from cuvier.base.errors import UserError
from cuvier.base.files import Input
from cuvier.batch import compile_commands
from cuvier.batch.compile_commands import Build
from cuvier.batch.selection import Selection
from cuvier.project.folders import build_folders, counted, left_out
from cuvier.project.headers import Headers


@dataclass(frozen=True)
class Project:
    """What was found; paths are from the project's folder on.

    `sources` are the C files below each top folder, `excluded` those below each folder that is to be left
    out.  `build` is the folder of a compile_commands.json, which has `built` of the sources; where there is
    none, `include_dirs` are the folders of headers.
    """

    sources: Mapping[str, int]
    excluded: Mapping[str, int]
    build: str | None
    built: int
    include_dirs: Sequence[str]

    @property
    def count(self) -> int:
        """The number of the project's own C files."""
        return sum(self.sources.values())


def surveyed(top: Path) -> Project:
    """The project in a folder; UserError where there are no C files."""
    inputs = Selection(base=top).collect([top])
    own = [each for each in inputs if left_out(each.relative) is None]
    if not own:
        others = ", ".join(sorted({str(left_out(each.relative)) for each in inputs}))
        raise UserError(f"all C files are in {others}, which holds no sources by its name; name that itself")
    build = _build_of(top)
    place = os.path.relpath(build.path.resolve().parent, top.resolve()) if build else None
    return Project(
        sources=dict(sorted(counted(each.relative for each in own).items())),
        excluded=_excluded(top, inputs),
        build=place,
        built=sum(build.command(each.path) is not None for each in own) if build else 0,
        include_dirs=[] if build else Headers.below(top).folders_for(each.path for each in own),
    )


def _excluded(top: Path, inputs: Sequence[Input]) -> dict[str, int]:
    """The folders to be left out, and how many C files each has that would be taken."""
    found = dict.fromkeys(build_folders(top), 0)
    for each in inputs:
        if (folder := left_out(each.relative)) is not None:
            found[folder] = found.get(folder, 0) + 1
    return dict(sorted(found.items()))


def _build_of(top: Path) -> Build | None:
    """The first build that can be read: here, below, or above."""
    for place in _places(top):
        try:
            return compile_commands.read(place)
        except UserError as error:
            warn(f"{error.message}: '{place}' is not used")
    return None


def _places(top: Path) -> list[Path]:
    """Where builds are: in the folder, in `build`, in other folders inside, or else above."""
    name = compile_commands.NAME
    usual = (top / name, top / "build" / name)
    inside = dict.fromkeys((*usual, *sorted(top.glob(f"*/{name}")), *sorted(top.glob(f"*/*/{name}"))))
    above = compile_commands.find(top)
    return [place for place in inside if place.is_file()] or ([above] if above else [])
