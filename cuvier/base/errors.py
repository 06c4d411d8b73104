"""What goes wrong at the user's end, as one line with a way out."""

from __future__ import annotations

import re

from species.core.positions import Diagnostic, Position

_PLACED = re.compile(r"(.+?):(\d+):(\d+): (.*)", re.DOTALL)


class UserError(Exception):
    """A mistake in the input or the set-up: one line, exit status 2, no traceback.

    `message` says what is wrong and the way out; `position` is a place in a file, where there is one.
    """

    def __init__(self, message: str, position: Position | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.code = code

    def __str__(self) -> str:
        place = str(self.position) if self.position else "cuvier"
        return _line(place, "error", self.message, self.code)

    @staticmethod
    def at_place(text: str) -> UserError:
        """The error that `file:line:column: message` is; text without a place is a message."""
        match = _PLACED.fullmatch(text)
        if match is None:
            return UserError(text)
        file, line, column, message = match.groups()
        return UserError(message, Position(file, int(line), int(column)))

    @staticmethod
    def of(diagnostic: Diagnostic) -> UserError:
        """The error that a diagnostic of the front end is to the user."""
        return UserError(diagnostic.message, diagnostic.position, diagnostic.code)


def diagnostic_line(diagnostic: Diagnostic) -> str:
    """`file:line:column: severity: message [CODE]`."""
    return _line(str(diagnostic.position), diagnostic.severity, diagnostic.message, diagnostic.code)


def _line(place: str, severity: str, message: str, code: str | None) -> str:
    return f"{place}: {severity}: {message}" + (f" [{code}]" if code else "")
