"""Which loops a change has touched: what git says that the lines are which have changed since a revision."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from cuvier.base.errors import UserError
from cuvier.base.files import Input
from cuvier.batch.coding import Result

Json = dict[str, Any]

_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_NO_C = {
    *(".md", ".rst", ".txt", ".py", ".sh", ".yml", ".yaml", ".json", ".toml", ".cmake", ".mk", ".html"),
    *(".css", ".js", ".xml", ".svg", ".png", ".pdf", ".lock", ".cfg", ".ini"),
}
# Settings of a repository that would have git start a program; what filters files is still heeded.
NO_PROGRAMS = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")

Stretch = tuple[float, float]  # first and last line; lines that are gone leave one between two lines
WHOLE: Sequence[Stretch] = ((0, float("inf")),)


@dataclass(frozen=True)
class Changes:
    """The stretches of lines that have changed, by the real paths of files."""

    files: Mapping[str, Sequence[Stretch]]

    def concern(self, inputs: Sequence[Input]) -> list[Input]:
        """The files in which loops may be touched: all, if others have changed that they may include."""
        named = {os.path.realpath(each.path): each for each in inputs}
        if any(file not in named and PurePath(file).suffix not in _NO_C for file in self.files):
            return list(inputs)
        return [each for file, each in named.items() if file in self.files]

    def touch(self, loop: Json) -> bool:
        """Has a line of the loop, or of what is said of some line, changed?"""
        stretches = self.files.get(os.path.realpath(loop["file"]), ())
        begins: int = loop["line"]
        ends: int = loop.get("end_line", begins)
        return any(begins <= last and ends >= first for first, last in stretches)

    def of(self, result: Result) -> Result | None:
        """The result without loops that have not changed; None where nothing is left to say of the file."""
        loops = list(filter(self.touch, result.unit["loops"]))
        lost = result.unit["status"] != "ok" and os.path.realpath(result.unit["file"]) in self.files
        if not loops and not lost:
            return None
        return Result({**result.unit, "loops": loops}, result.after, list(filter(self.touch, result.notes)))


def changes_since(revision: str, place: Path) -> Changes:
    """What has changed in the work tree around `place` since it branched off `revision`."""
    top = Path(_git(place, "rev-parse", "--show-toplevel").rstrip("\n"))
    base = _base(top, _commit(top, revision))
    arguments = (
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "-M",
        "-U0",
        "--src-prefix=a/",
        "--dst-prefix=b/",
    )
    text = _git(top, "-c", "core.quotepath=off", "diff", *arguments, base, "--")
    found: dict[str, Sequence[Stretch]] = {**_stretches(text)}
    new = _git(top, "ls-files", "--others", "--exclude-standard", "-z").split("\0")
    found.update({name: WHOLE for name in new if name})
    root = os.path.realpath(top)
    return Changes({os.path.realpath(os.path.join(root, name)): lines for name, lines in found.items()})


def _commit(top: Path, revision: str) -> str:
    try:
        return _git(top, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}").strip()
    except UserError as error:
        way_out = "name one that `git log` shows, and fetch it first where the clone is shallow"
        raise UserError(f"--changed-since: git knows no revision '{revision}'; {way_out}") from error


def _base(top: Path, revision: str) -> str:
    """Where the work tree branched off; the revision itself, where a shallow clone does not know."""
    try:
        return _git(top, "merge-base", revision, "HEAD").strip() or revision
    except UserError:
        return revision


def _stretches(diff: str) -> dict[str, list[Stretch]]:
    """The stretches in a diff without context, by the new names of files."""
    found: dict[str, list[Stretch]] = {}
    file, left = "", 0
    for line in diff.split("\n"):
        if left:  # a line of a hunk, which may look like anything
            left -= not line.startswith("\\")
        elif line.startswith("+++ "):
            file = _name(line[4:])
        elif hunk := _HUNK.match(line):
            start, count = int(hunk[1]), int(hunk[2] or 1)
            stretch = (start, start + count - 1) if count else (start + 0.5, start + 0.5)
            found.setdefault(file, []).append(stretch)
            left = count + _removed(line)
    found.pop("", None)
    return found


def _removed(hunk: str) -> int:
    match = re.match(r"@@ -\d+(?:,(\d+))? ", hunk)
    return int(match[1] or 1) if match else 0


def _name(shown: str) -> str:
    """The name behind `+++ `; empty for a file that is gone."""
    shown = shown.rstrip("\t")
    if shown.startswith('"'):
        raw = _ESCAPE.sub(_escaped, shown[1:-1].encode("utf-8", "surrogateescape"))
        shown = raw.decode("utf-8", "surrogateescape")
    return shown[2:] if shown.startswith("b/") else ""


def _escaped(match: re.Match[bytes]) -> bytes:
    return bytes([int(match[1], 8)]) if match[1].isdigit() else _LETTERS.get(match[1], match[1])


def _git(folder: Path, *arguments: str) -> str:
    where = folder if folder.is_dir() else folder.parent
    try:
        done = subprocess.run(
            ["git", *NO_PROGRAMS, *arguments],
            cwd=where,
            capture_output=True,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except OSError as error:
        raise UserError(f"--changed-since needs git ({error.strerror}); install it") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["git failed"]
        raise UserError(f"--changed-since: {said[0].removeprefix('fatal: ')}; run it in a clone of git's")
    return done.stdout.decode("utf-8", "surrogateescape")
