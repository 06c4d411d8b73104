"""Which files a command works on, where its results go, and how they are written."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cuvier.base.errors import UserError
from species.source.text.files import regular_bytes


@dataclass(frozen=True)
class Input:
    """A C file, and its path below the directory that was named (its name where itself was named)."""

    path: Path
    relative: Path

    @property
    def tree(self) -> Path:
        """What the file belongs to: the work tree of git, or else the directory that was named.

        Links may lead from one of its files to another, but not out of it where they are written to.
        """
        named = Path(os.path.abspath(self.path)).parents[len(self.relative.parts) - 1]
        above = (folder for folder in (named, *named.parents) if (folder / ".git").exists())
        return next(above, named)


def require_file(path: Path) -> Path:
    """`path`, if it is a file that can be read; opening it does not wait for anybody."""
    if path.is_dir():
        raise UserError(f"'{path}' is a directory; name one C file in it")
    if not path.exists():
        raise UserError(f"no such file: '{path}'; check the name and the current directory")
    if not path.is_file():
        raise UserError(f"'{path}' is no regular file; copy what comes out of it to one")
    if not os.access(path, os.R_OK):
        raise UserError(f"'{path}' may not be read; check its permissions")
    return path


def destinations(inputs: Sequence[Input], directory: Path) -> list[Path]:
    """Where the results for `inputs` go below `directory`: no two to one place, none over an input."""
    check_output(directory)
    if directory.exists() and not directory.is_dir():
        raise UserError(f"'{directory}' is a file; -o takes a directory")
    sources = {os.path.realpath(each.path) for each in inputs}
    taken: dict[Path, Path] = {}
    for each in inputs:
        place = directory / each.relative
        if place in taken:
            raise UserError(
                f"'{taken[place]}' and '{each.path}' would both be written to '{place}';"
                " name their common directory instead, or run once for each with its own -o"
            )
        if os.path.realpath(place) in sources:
            raise UserError(f"'{place}' is an input and would be overwritten; use --in-place, or another -o")
        taken[place] = each.path
    return list(taken)


def read_text(path: Path) -> str:
    """The file's characters; bytes that are not UTF-8 and line ends survive `write_text`.

    OSError for what is no regular file: a pipe or a device may have no end.
    """
    return regular_bytes(str(path)).decode("utf-8", "surrogateescape")


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


def write_text(path: Path, text: str, within: Path | None = None) -> None:
    """Write the file as a whole or not at all; its mode and its owner stay.

    A link is followed, unless it leads out of the folder `within`: then UserError, and nothing is written.
    What is no regular file, such as /dev/stdout, is written to and stays what it is.
    """
    data = text.encode("utf-8", "surrogateescape")
    target = Path(os.path.realpath(path))
    if within is not None and not _leads_inside(path, within):
        raise UserError(f"'{path}' is a link that leads out of '{within}', to '{target}'; it is not followed")
    if path.exists() and not path.is_file():
        _write_through(path, data)
        return
    temporary = target.with_name(f".{target.name[:40]}.{os.getpid()}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, temporary, data)
    except OSError as error:
        raise UserError(f"cannot write '{path}': {error.strerror}") from error


def check_output(path: Path) -> None:
    """UserError for a place in the current directory that a link puts elsewhere: it may be a stranger's."""
    here, place = os.getcwd(), os.path.realpath(path)
    inner = os.path.abspath(path).startswith(os.path.join(here, ""))
    if inner and not f"{place}/".startswith(os.path.join(os.path.realpath(here), "")):
        raise UserError(
            f"'{path}' leads out of the current directory by a link, to '{place}'; name that itself"
        )


def _leads_inside(path: Path, within: Path) -> bool:
    """Is what a path stands for in the folder, or does the path itself name a device?"""
    inside = os.path.realpath(path).startswith(os.path.join(os.path.realpath(within), ""))
    return inside or os.path.abspath(path).startswith("/dev/")


def _replace(target: Path, temporary: Path, data: bytes) -> None:
    """Put the file with these bytes in the place of `target`; on any interrupt, nothing else is left."""
    with open(temporary, "xb") as stream:  # which follows no link, and takes no file that is there
        try:
            stream.write(data)
            stream.close()
            if target.exists():
                _like(target.stat(), temporary)
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _like(old: os.stat_result, new: Path) -> None:
    """Give a file the owner, as far as that may be done, and the mode of another."""
    made = new.stat()
    if (made.st_uid, made.st_gid) != (old.st_uid, old.st_gid):
        with suppress(PermissionError):
            os.chown(new, old.st_uid, old.st_gid)
    new.chmod(stat.S_IMODE(old.st_mode))


def _write_through(path: Path, data: bytes) -> None:
    try:
        with open(path, "wb") as stream:
            stream.write(data)
    except OSError as error:
        raise UserError(f"cannot write '{path}': {error.strerror}") from error
