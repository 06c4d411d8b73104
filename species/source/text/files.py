"""One original file: its bytes, its text, and places in it."""

from __future__ import annotations

import errno
import os
import stat
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from species.core.positions import Diagnostic, Position


class SourceError(Exception):
    """The file cannot be read at all; `diagnostic` says why and what to do about it."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(f"{diagnostic.position}: {diagnostic.message}")
        self.diagnostic = diagnostic


@dataclass(frozen=True)
class SourceFile:
    """A file as the user has it.

    `text` is UTF-8 with surrogate escapes, so that encoding it the same way gives `data` back whatever the
    file's encoding; newlines are as they are in the file.  Lines and columns are 1-based.
    """

    path: str
    data: bytes

    @cached_property
    def text(self) -> str:
        """All characters of the file."""
        return self.data.decode("utf-8", "surrogateescape")

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return tuple(starts)

    @property
    def line_count(self) -> int:
        """Lines in the file; text after the last newline is a line, nothing after it is none."""
        return len(self._starts) - (self._starts[-1] == len(self.text))

    def offset(self, line: int, column: int) -> int:
        """The offset of a place, which is moved to the nearest one where the file has no such place."""
        line = max(1, min(line, len(self._starts)))
        end = self._starts[line] - 1 if line < len(self._starts) else len(self.text)
        return min(self._starts[line - 1] + max(0, column - 1), end)

    def position(self, offset: int) -> Position:
        """The place of an offset; one past the end is allowed."""
        line = bisect_right(self._starts, offset)
        return Position(self.path, line, offset - self._starts[line - 1] + 1)

    def line_text(self, line: int) -> str:
        """Line `line` without its line ending; empty where there is no such line."""
        if not 1 <= line <= len(self._starts):
            return ""
        end = self._starts[line] - 1 if line < len(self._starts) else len(self.text)
        return self.text[self._starts[line - 1] : end].removesuffix("\r")


def read_source_file(path: str) -> SourceFile:
    """Read `path`; raise SourceError (CV003) where there is no regular, readable file."""
    try:
        if os.path.isdir(path):
            raise _unreadable(path, "is a directory; name a C file")
        return SourceFile(path, regular_bytes(path))
    except NotRegularError as error:
        raise _unreadable(path, str(error.strerror)) from None
    except FileNotFoundError:
        raise _unreadable(path, "no such file") from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None


class NotRegularError(OSError):
    """It is a pipe or a device, which may have no end."""


def regular_bytes(path: str) -> bytes:
    """The bytes of a regular file; OSError for what is none, which is not waited for."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise NotRegularError(errno.EINVAL, "is not a regular file", path)
        return stream.read()


def _unreadable(path: str, message: str) -> SourceError:
    return SourceError(Diagnostic("error", "CV003", message, Position(path, 1, 1)))
