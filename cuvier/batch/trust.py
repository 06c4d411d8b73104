"""Which compilers are run where a repository names them, and not the user.

Settings and builds come with the sources, and the sources may be a stranger's: what they name is run only if
the user knows it.  docs/security.md says what else is trusted and what is not.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from cuvier.base.errors import UserError
from cuvier.batch.flags import read_command, without_launchers
from species.core.positions import Position
from species.source.preprocess.run import NO_COMPILER

LIST = "CUVIER_COMPILERS"  # names and absolute paths, with blanks or colons between
WAY_OUT = f"name it in {LIST} or give --trust, if you know what it is"
_USUAL = re.compile(r"(?:[A-Za-z0-9_.]+-)*(?:cc|gcc|clang|c89|c99)(?:-\d+(?:\.\d+)*)?")


def listed() -> frozenset[str]:
    """The compilers on the user's list, in the environment and in the file `compilers` of the settings."""
    return frozenset((*re.split(r"[\s:]+", os.environ.get(LIST, "")), *_of_settings())) - {""}


def _of_settings() -> Iterator[str]:
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    try:
        lines = Path(base, "cuvier", "compilers").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    yield from (line.partition("#")[0].strip() for line in lines)


@dataclass(frozen=True)
class Trust:
    """Takes the usual names that the PATH has, what the user lists, or `everything`."""

    everything: bool = False
    known: frozenset[str] = field(default_factory=listed)

    def takes(self, compiler: str) -> bool:
        """May this compiler be run, a name or a path?"""
        if self.everything or compiler in self.known:
            return True
        name, folder = os.path.basename(compiler), os.path.dirname(compiler)
        usual = _USUAL.fullmatch(name) is not None or name in self.known
        return usual and (self._is_on_path(name) if not folder else folder in self._folders)

    def _is_on_path(self, name: str) -> bool:
        """Is it found, and not by an entry that means another folder in every repository?"""
        found = shutil.which(name)
        return found is None or os.path.isabs(found)

    @cached_property
    def _folders(self) -> frozenset[str]:
        """The folders of the PATH; what is written in another way, as with `..`, is none of them."""
        return frozenset(f for f in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(f))

    def checked(self, command: str, place: Position) -> str:
        """The command line of a compiler that settings name at `place`; UserError where it may not be run."""
        if self.everything or command == NO_COMPILER:
            return command
        try:
            words = list(without_launchers(shlex.split(command)))
        except ValueError as error:
            raise UserError(f"'cc' cannot be split into words ({error})", place) from error
        if not words or not self.takes(words[0]):
            raise UserError(f"'cc' is {command!r}, which is not on the list of compilers; {WAY_OUT}", place)
        if (strange := _not_for_preprocessing(words)) is not None:
            way_out = "only macros, folders, the standard and the machine are; --trust takes all"
            raise UserError(f"'{strange}' is no flag that 'cc' may have here; {way_out}", place)
        return shlex.join(words)


def _not_for_preprocessing(words: list[str]) -> str | None:
    """The first flag that does more than to say how a text is read."""
    read = read_command(words, "", str)
    kept = {*read.flags, *read.machine, f"-std={read.std}"}
    return next((word for word in words[1:] if word not in kept), None)
