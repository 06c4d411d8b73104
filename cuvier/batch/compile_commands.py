"""`compile_commands.json`: how the user's build compiles every file.

CMake, Meson, bear and others write it; https://clang.llvm.org/docs/JSONCompilationDatabase.html describes it.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from cuvier.base.errors import UserError
from cuvier.base.files import read_text
from cuvier.batch.flags import CompileCommand, read_command
from cuvier.batch.trust import Trust
from species.core.positions import Position
from species.source import PreprocessOptions

NAME = "compile_commands.json"
_DEPTH = 10  # of response files that name others
_WORDS = 100_000  # of a command: files that name one another many times would have no end


@dataclass(frozen=True)
class Build:
    """What a build says of its files; `commands` has those of each, in the file's order, by absolute path.

    Relative paths are meant from `root` on, even in another directory: that of a copy of the sources.
    `missing` are compilers of commands that the machine does not have, and `unknown` those that are not run
    because nobody vouches for them (`cuvier.batch.trust`): another one takes their place.
    """

    path: Path
    commands: Mapping[str, tuple[CompileCommand, ...]]
    root: str = field(default_factory=os.getcwd)
    missing: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)
    trust: Trust = field(default_factory=Trust)

    def command(self, file: Path) -> CompileCommand | None:
        """How the file is compiled, as C if it ever is; of several ways, the first."""
        found = self._of(file)
        return next((c for c in found if c.language == "c"), found[0] if found else None)

    def _of(self, file: Path) -> tuple[CompileCommand, ...]:
        return self.commands.get(os.path.realpath(os.path.join(self.root, file)), ())

    def others(self, file: Path) -> tuple[CompileCommand, ...]:
        """The other ways in which it is compiled as C, each once."""
        ways = dict.fromkeys(c for c in self._of(file) if c.language == "c")
        return tuple(ways)[1:]

    def options(self, command: CompileCommand, own: PreprocessOptions) -> PreprocessOptions:
        """The front end's options for a command; what the user says by `own` comes first."""
        compiler = own.cc or self._found(command.compiler)
        machine = command.machine if compiler == shlex.quote(command.compiler) else ()
        flags = (*machine, *command.flags, *own.flags)
        return replace(own, cc=compiler, std=own.std or command.std, flags=flags)

    def _found(self, compiler: str) -> str | None:
        if not self.trust.takes(compiler):
            self.unknown.add(compiler)
        elif compiler in self._there:
            return shlex.quote(compiler)
        else:
            self.missing.add(compiler)
        return None

    @cached_property
    def _there(self) -> frozenset[str]:
        """The compilers of the commands that the machine has."""
        names = {command.compiler for commands in self.commands.values() for command in commands}
        return frozenset(name for name in names if shutil.which(name))


def find(start: Path) -> Path | None:
    """The nearest `compile_commands.json`: in a folder above `start` or in `build` beside it."""
    start = start.resolve()
    for folder in (start, *start.parents):
        for place in (folder / NAME, folder / "build" / NAME):
            if place.is_file():
                return place
    return None


def read(path: Path, dropped: frozenset[str] = frozenset(), trust: Trust | None = None) -> Build:
    """Read a file, or the one in a folder; flags in `dropped` do not count, and `trust` says who is run.

    UserError where it is none.
    """
    path = Path(short(path / NAME if path.is_dir() else path))
    if not path.exists():
        raise UserError(
            f"no such file: '{path}'; CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON,"
            " and `bear -- make` beside a Makefile"
        )
    entries = _json(path)
    if not isinstance(entries, list):
        raise _wrong(path, "is not a list of entries")
    commands: dict[str, list[CompileCommand]] = {}
    origin = str(path.resolve().parent)
    for number, entry in enumerate(entries, 1):
        file, command = _Entry(path, origin, number, entry).read(dropped)
        commands.setdefault(file, []).append(command)
    return Build(path, {file: tuple(found) for file, found in commands.items()}, trust=trust or Trust())


def _json(path: Path) -> Any:
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg}; let your build write it again"
        raise UserError(message, Position(str(path), error.lineno, error.colno)) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, lists in lists in lists
        raise _wrong(path, f"cannot be read ({error})") from error


@dataclass(frozen=True)
class _Entry:
    """An entry of the file at `path`, which is in the folder `origin`."""

    path: Path
    origin: str
    number: int
    entry: Any
    words: list[int] = field(default_factory=lambda: [0])  # how many the command has so far

    def read(self, dropped: frozenset[str]) -> tuple[str, CompileCommand]:
        """The absolute path of the file, and its command."""
        if not isinstance(self.entry, dict) or not isinstance(self.entry.get("file"), str):
            raise _wrong(self.path, f"entry {self.number} has no 'file'")
        if "\\u0000" in json.dumps(self.entry):
            raise _wrong(self.path, f"entry {self.number} has a text with a null character")
        folder = os.path.join(self.origin, str(self.entry.get("directory", ".")))

        def place(name: str) -> str:
            return short(os.path.join(folder, name))

        file = self.entry["file"]
        arguments = list(self._expanded(self._arguments(), folder, _DEPTH))
        if arguments and "/" in arguments[0]:
            arguments[0] = os.path.join(folder, arguments[0])
        return os.path.realpath(os.path.join(folder, file)), read_command(arguments, file, place, dropped)

    def _arguments(self) -> Sequence[str]:
        arguments, command = self.entry.get("arguments"), self.entry.get("command")
        if isinstance(arguments, list) and all(isinstance(each, str) for each in arguments):
            return arguments
        if isinstance(command, str):
            return self._split(command)
        raise _wrong(self.path, f"entry {self.number} has neither 'arguments' nor 'command'")

    def _split(self, text: str) -> list[str]:
        try:
            return shlex.split(text)
        except ValueError as error:
            raise _wrong(
                self.path, f"the command of entry {self.number} cannot be split ({error})"
            ) from error

    def _expanded(self, arguments: Sequence[str], folder: str, depth: int) -> Iterator[str]:
        """The arguments, with those that response files hold in the places of `@file`."""
        for each in arguments:
            file = os.path.join(folder, each[1:]) if each.startswith("@") else ""
            if file and depth and os.path.isfile(file):
                yield from self._expanded(self._split(read_text(Path(file))), folder, depth - 1)
            else:
                self.words[0] += 1
                if self.words[0] > _WORDS:
                    what = f"the command of entry {self.number} has more than {_WORDS} words"
                    raise _wrong(self.path, what)
                yield each


def short(path: str | Path) -> str:
    """The path from the current directory where it is below that, else an absolute one: what is said of a
    tree must not depend on where the tree stands.
    """
    absolute = os.path.abspath(path)
    here = os.path.join(os.getcwd(), "")
    below = os.path.join(absolute, "")
    return (below.removeprefix(here).rstrip(os.sep) or ".") if below.startswith(here) else absolute


def _wrong(path: Path, what: str) -> UserError:
    return UserError(f"{what}; let your build write it again", Position(str(path), 1, 1))
