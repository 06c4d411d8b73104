"""Which files a command works on, where its results go, and how they are written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cuvier.errors import UserError


@dataclass(frozen=True)
class Input:
    """A C file, and its path below the directory that was named (its name where itself was named)."""

    path: Path
    relative: Path


def require_file(path: Path) -> Path:
    """`path`, if it is a file that can be read."""
    if path.is_dir():
        raise UserError(f"'{path}' is a directory; name one C file in it")
    if not path.exists():
        raise UserError(f"no such file: '{path}'; check the name and the current directory")
    if not os.access(path, os.R_OK):
        raise UserError(f"'{path}' may not be read; check its permissions")
    return path


def destinations(inputs: Sequence[Input], directory: Path) -> list[Path]:
    """Where the results for `inputs` go below `directory`: no two to one place, none over an input."""
    if directory.exists() and not directory.is_dir():
        raise UserError(f"'{directory}' is a file; -o takes a directory")
    sources = {each.path.resolve() for each in inputs}
    taken: dict[Path, Path] = {}
    for each in inputs:
        place = directory / each.relative
        if place in taken:
            raise UserError(
                f"'{taken[place]}' and '{each.path}' would both be written to '{place}';"
                " name their common directory instead, or run once for each with its own -o"
            )
        if place.resolve() in sources:
            raise UserError(f"'{place}' is an input and would be overwritten; use --in-place, or another -o")
        taken[place] = each.path
    return list(taken)


def read_text(path: Path) -> str:
    """The file's characters; bytes that are not UTF-8 and line ends survive `write_text`."""
    return path.read_bytes().decode("utf-8", "surrogateescape")


def check_writable(path: Path) -> None:
    """UserError where `write_text` could not write the file; the file stays as it is."""
    try:
        path.resolve().parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            with open(path, "ab"):
                return
        with tempfile.TemporaryFile(dir=path.resolve().parent):
            return
    except OSError as error:
        raise UserError(f"cannot write '{path}': {error.strerror}") from error


def write_text(path: Path, text: str) -> None:
    """Write the file as a whole or not at all; its mode stays, and a link is followed.

    What is no regular file, such as /dev/stdout, is written to and stays what it is.
    """
    data = text.encode("utf-8", "surrogateescape")
    target = path.resolve()
    if path.exists() and not path.is_file():
        _write_through(path, data)
        return
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(temporary, "xb") as stream:
            stream.write(data)
        if target.exists():
            temporary.chmod(target.stat().st_mode)
        os.replace(temporary, target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise UserError(f"cannot write '{path}': {error.strerror}") from error


def _write_through(path: Path, data: bytes) -> None:
    try:
        with open(path, "wb") as stream:
            stream.write(data)
    except OSError as error:
        raise UserError(f"cannot write '{path}': {error.strerror}") from error
