"""A preprocessor for machines without a compiler: pcpp's, with headers of ours, writing as compilers do."""

from __future__ import annotations

import copy
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pcpp import Action, OutputDirective, Preprocessor

from species.source.text.files import NotRegularError, regular_bytes

HEADERS = str(Path(__file__).parent / "include")
_VERSIONS = {
    "89": "199409L",
    "90": "199409L",
    "99": "199901L",
    "11": "201112L",
    "17": "201710L",
    "18": "201710L",
}
_MODERN = "202311L"
_PREDEFINED = {
    "__STDC__": "1",
    "__STDC_HOSTED__": "1",
    "__CHAR_BIT__": "8",
    "__LP64__": "1",
    "_LP64": "1",
    **{
        f"__SIZEOF_{name}__": "8"
        for name in ("POINTER", "LONG", "DOUBLE", "SIZE_T", "LONG_LONG", "PTRDIFF_T")
    },
    "__SIZEOF_INT__": "4",
    "__SIZEOF_FLOAT__": "4",
    "__SIZEOF_SHORT__": "2",
    "__SIZEOF_LONG_DOUBLE__": "16",
}
_ENTER, _LEAVE = "#enter", "#leave"  # in front of a file, and behind it


class FatalError(Exception):
    """What gcc would print: `file:line: fatal error: message`."""


def preprocess_purely(path: str, text: str, std: str | None, arguments: list[str]) -> tuple[str, str]:
    """The output for a text, and error messages as gcc prints them; raises FatalError.

    `arguments` are those of a compiler; the ones that are of no concern here are passed over.
    """
    reader = _Preprocessor(path)
    for name, value in {**_PREDEFINED, "__STDC_VERSION__": _version(std)}.items():
        reader.define_and_say(f"{name} {value}")
    forced = "".join(f'#include "{name}"\n' for name in reader.take(arguments))
    said = "".join(f"{line}\n" for line in reader.said) + reader.read("<command-line>", forced)
    name, text = _quoted(path), reader.read(path, text)
    return f'# 1 "{name}"\n# 1 "<built-in>" 1\n{said}# 1 "{name}" 2\n{text}', "\n".join(reader.errors)


def _version(std: str | None) -> str:
    return _VERSIONS.get((std or "gnu11")[-2:], _MODERN)


def _quoted(path: str) -> str:
    return path.replace("\\", "\\\\").replace('"', '\\"')


class _Preprocessor(Preprocessor):  # type: ignore[misc]
    def __init__(self, main: str) -> None:
        super().__init__()
        self.line_directive = None
        self.said: list[str] = []
        self.errors: list[str] = []
        self._main = main
        self._systems: list[str] = [HEADERS]
        self._open: list[tuple[str, bool]] = []

    def read(self, path: str, text: str) -> str:
        """The output for a text with the name of a file, all tokens on lines of their numbers."""
        self._open = [(path, False)]
        self.parse(text, path)
        writer = _Writer(path)
        while (token := self.token()) is not None:
            if token.value in (_ENTER, _LEAVE):
                writer.move(token)
            else:
                writer.add(token)
        return writer.text()

    def define_and_say(self, definition: str) -> None:
        self.define(definition)
        self.said.append(f"#define {definition}")

    def take(self, arguments: list[str]) -> list[str]:
        """Heeds -I, -isystem, -iquote, -D and -U; the files that -include names."""
        included, quoted, rest = [], [], iter(arguments)
        self.said.append('# 1 "<command-line>"')
        for word in rest:
            flag = next((f for f in _FLAGS if word.startswith(f)), "")
            value = word[len(flag) :] or (next(rest, "") if flag else "")
            if flag == "-D":
                name, _, body = value.partition("=")
                self.define_and_say(f"{name} {body if '=' in value else '1'}")
            elif flag == "-U":
                self.undef(self.tokenize(value))
                self.said.append(f"#undef {value}")
            elif flag == "-include":
                included.append(value)
            elif flag == "-iquote":
                quoted.append(value)
            elif flag:
                self.add_path(value)
                self._systems += [os.path.abspath(value)] if flag != "-I" else []
        self.add_path(HEADERS)
        self.temp_path += quoted
        return included

    def include(self, tokens: Any, original_line: Any) -> Iterator[Any]:
        """As pcpp does it, with a token in front of the file and one behind it."""
        depth, at = len(self._open), original_line[0]
        self._open.append(("", False))
        entered = False
        for token in super().include(tokens, original_line):
            if not entered:
                entered = True
                yield self._mark(at, _ENTER, *self._open[depth])
            yield token
        if not entered and self._open[depth][0]:
            yield self._mark(at, _ENTER, *self._open[depth])
            entered = True
        del self._open[depth:]
        if entered:
            yield self._mark(at, _LEAVE, *self._open[-1])

    def _mark(self, like: Any, what: str, path: str, system: bool) -> Any:
        token = copy.copy(like)
        token.type, token.value, token.file, token.is_system = self.t_COMMENT1, what, path, system
        return token

    def on_file_open(self, is_system_include: bool, includepath: str) -> Any:
        try:
            text = regular_bytes(includepath).decode("utf-8", "surrogateescape")
        except NotRegularError as error:
            where = f"{self._open[-2][0]}:{self.lastdirective.lineno}:1"
            raise FatalError(f"{where}: fatal error: {includepath}: {error.strerror}") from None
        system = self._open[-2][1] or includepath.startswith(tuple(f"{s}{os.sep}" for s in self._systems))
        self._open[-1] = (os.path.relpath(includepath) if self._is_near(includepath) else includepath, system)
        return io.StringIO(text)

    def _is_near(self, path: str) -> bool:
        return not os.path.isabs(self._main) and path.startswith(os.getcwd() + os.sep)

    def on_include_not_found(self, is_malformed: bool, is_system: bool, curdir: str, includepath: str) -> Any:
        what = '#include expects "FILENAME" or <FILENAME>' if is_malformed else includepath
        why = "" if is_malformed else ": No such file or directory"
        raise FatalError(f"{self._open[-2][0]}:{self.lastdirective.lineno}:1: fatal error: {what}{why}")

    def on_error(self, file: str, line: int, msg: str) -> None:
        self.errors.append(f"{self._open[-1][0]}:{line}:1: error: {msg}")

    def on_comment(self, tok: Any) -> bool:
        return tok.value in (_ENTER, _LEAVE)

    def on_directive_handle(self, directive: Any, toks: Any, ifpassthru: bool, precedingtoks: Any) -> Any:
        super().on_directive_handle(directive, toks, ifpassthru, precedingtoks)
        return None if directive.value in ("define", "undef") else True

    def on_directive_unknown(self, directive: Any, toks: Any, ifpassthru: bool, precedingtoks: Any) -> Any:
        if directive.value == "error":
            self.on_error("", directive.lineno, f"#error {''.join(tok.value for tok in toks)}")
        if directive.value in ("error", "warning", "line", "ident"):
            return True
        if directive.value == "include_next":
            raise OutputDirective(Action.IgnoreAndRemove)
        return None

    def on_unknown_macro_in_defined_expr(self, tok: Any) -> bool:
        return False

    def on_unknown_macro_in_expr(self, ident: str) -> int:
        return 0

    def on_unknown_macro_function_in_expr(self, ident: str) -> Any:
        return lambda *arguments: 0


class _Writer:
    """Puts every token on a line of its number, as markers count them; a directive stays on one line."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._pieces: list[str] = []
        self._line = 1  # the one that is being written
        self._fresh = True  # has nothing been written on it?
        self._in_directive = False

    def move(self, token: Any) -> None:
        """Into a file, or out of one."""
        entered = token.value == _ENTER
        self._path, self._line = token.file, 1 if entered else token.lineno + 1
        self._marker(" 1" if entered else " 2", " 3" if token.is_system else "")

    def add(self, token: Any) -> None:
        words = token.value.replace("\\\r\n", "").replace("\\\n", "")
        if "\n" in words:
            self._in_directive = False
        if not words.strip():
            self._pieces.append("" if self._fresh else " ")
            return
        if not self._in_directive:
            self._reach(token.lineno)
            self._in_directive = self._fresh and words == "#"
        self._fresh = False
        self._pieces.append(" ".join(words.split("\n")))

    def _reach(self, line: int) -> None:
        behind = line - self._line
        if behind > 0:
            self._line = line
            if behind < _NEAR:
                self._pieces.append("\n" * behind)
                self._fresh = True
            else:
                self._marker()

    def _marker(self, *flags: str) -> None:
        newline = "" if self._fresh else "\n"
        self._pieces.append(f'{newline}# {self._line} "{_quoted(self._path)}"{"".join(flags)}\n')
        self._fresh = True

    def text(self) -> str:
        """What has been written; pragmas that operators make have lines of their own."""
        return "\n".join(_with_pragmas("".join(self._pieces).split("\n"))) + "\n"


def _with_pragmas(lines: list[str]) -> Iterator[str]:
    number, path = 1, ""
    for line in lines:
        marker = _MARKER.match(line)
        if marker is not None:
            number, path = int(marker[1]), marker[2]
        elif "_Pragma" in line and not line.startswith("#"):
            pieces = _PRAGMA.split(line)
            yield pieces[0]
            for said, rest in zip(pieces[1::2], pieces[2::2], strict=True):
                here = f'# {number} "{path}"'
                yield from (here, f"#pragma {_ESCAPED.sub(_plain, said)}", here, rest)
            number += 1
            continue
        else:
            number += 1
        yield line


def _plain(match: re.Match[str]) -> str:
    return match[1]


_NEAR = 8  # so many lines are left empty; beyond them stands a marker
_MARKER = re.compile(r'# (\d+) "((?:[^"\\]|\\.)*)"')
_PRAGMA = re.compile(r'\b_Pragma\s*\(\s*"((?:[^"\\]|\\.)*)"\s*\)')
_ESCAPED = re.compile(r"\\(.)")
_FLAGS = ("-include", "-isystem", "-iquote", "-idirafter", "-I", "-D", "-U")
