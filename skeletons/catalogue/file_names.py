"""Names of generated files: what stands in Makefiles, in commands and in `#include`, and where it may lie."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from models.errors import SkeletonError

_FIT = re.compile(r"[\w+][\w.+-]*")
_BROKEN = re.compile(r"[\0-\x1f\x7f]")


def checked_source(path: Path) -> Path:
    """The path of a C file of whose name a program's files are made.

    SkeletonError where make, the shell or a compiler would take it for more than a name: there is no way to
    quote names of targets that all versions of make agree on.
    """
    if _FIT.fullmatch(path.name) and path.stem:
        return path
    raise SkeletonError(
        f"{path}: the name of the file cannot stand in a Makefile; rename it, with letters, digits, '_', '-',"
        " '+' and '.' alone"
    )


def is_inside(name: str) -> bool:
    """Is this the relative path of a file that lies below the folder it is written to?"""
    parts = PurePosixPath(name).parts
    plain = not _BROKEN.search(name) and "\\" not in name
    return plain and bool(parts) and not name.startswith("/") and ".." not in parts


def make_word(text: str) -> str:
    """`text` as one word of a shell command in a Makefile; SkeletonError where it cannot be one."""
    if broken := _BROKEN.search(text):
        raise SkeletonError(f"{text!r} cannot stand in a Makefile, because of the character {broken[0]!r}")
    quoted = "'" + text.replace("'", "'\\''") + "'" if any(c not in _PLAIN for c in text) else text
    return _HASH.sub(r"\1\1\\#", quoted.replace("$", "$$"))


_HASH = re.compile(r"(\\*)#")  # make takes one of two backslashes before it
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%")
