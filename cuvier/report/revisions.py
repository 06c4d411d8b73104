"""Reports on files as they are at a revision of git."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

from cuvier.base.errors import UserError
from cuvier.batch.changed import NO_PROGRAMS
from cuvier.document.json import document_of

Json = dict[str, Any]
AS_THEY_ARE = "."


def at_revision(revision: str, files: list[Path], analyse: Callable[[list[Path]], Json]) -> Json:
    """What `analyse` says of the files at a revision, or, for `AS_THEY_ARE`, on the disk.

    It is called in a copy of the whole tree of that revision, in the same directory of it, so that relative
    paths mean what they meant then.  Files that do not exist there are left out.
    """
    if revision == AS_THEY_ARE:
        return analyse(files)
    prefix, relative = _git("rev-parse", "--show-prefix").strip(), [_relative(path) for path in files]
    commit = _commit(revision)
    with tempfile.TemporaryDirectory(prefix="cuvier-") as folder:
        _unpack(commit, Path(folder))
        below = Path(folder, prefix)
        below.mkdir(parents=True, exist_ok=True)
        with chdir(below):
            there = [path for path in relative if _has_c_files(path)]
            return analyse(there) if there else document_of([])


def _commit(revision: str) -> str:
    try:
        return _git("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}").strip()
    except UserError as error:
        raise UserError(f"'{revision}' is no file and no revision of git: {error.message}") from error


def _relative(path: Path) -> Path:
    return Path(os.path.relpath(path)) if path.is_absolute() else path


def _has_c_files(path: Path) -> bool:
    return path.is_file() or any(path.rglob("*.c"))


def _unpack(commit: str, folder: Path) -> None:
    top = _git("rev-parse", "--show-toplevel").strip()
    data = _run("-C", top, "archive", "--format=tar", commit)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extractall(folder, filter=_inner)
        else:  # Python before 3.11.4
            archive.extractall(folder, [each for each in archive if _is_inside(each, folder)])


def _inner(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    """What may be unpacked; links out of the tree are left out."""
    try:
        return tarfile.data_filter(member, folder)
    except tarfile.FilterError:
        return None


def _is_inside(member: tarfile.TarInfo, folder: Path) -> bool:
    """Is it a file, a folder, or a link that stays in the tree?"""
    places = [folder / member.name]
    places += [places[0].parent / member.linkname] if member.issym() else []
    places += [folder / member.linkname] if member.islnk() else []
    whole = Path(os.path.abspath(folder))
    known = member.isfile() or member.isdir() or member.issym() or member.islnk()
    return known and all(Path(os.path.abspath(place)).is_relative_to(whole) for place in places)


def _git(*arguments: str) -> str:
    return _run(*arguments).decode("utf-8", "surrogateescape")


def _run(*arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", *NO_PROGRAMS, *arguments], capture_output=True, check=False)
    except FileNotFoundError as error:
        raise UserError("--diff of two revisions needs git; install it, or give two JSON reports") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        raise UserError(
            f"{said.removeprefix('fatal: ')}; --diff takes two revisions of git or two JSON reports"
        )
    return done.stdout
