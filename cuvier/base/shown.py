"""Texts for people to read: nothing in them moves the cursor of a terminal, or is a command to a log.

Names of files, comments and messages may be a stranger's.  Files and data are written as they are; what goes
to a terminal or a log goes through here.
"""

from __future__ import annotations

import re
from typing import Any

_DANGEROUS = (
    "\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls but for tabs and newlines, those of eight bits too
    "\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"  # what reorders or breaks lines
    "\ud800-\udfff"  # bytes that are no characters
)
_CONTROL = re.compile(rf"[{_DANGEROUS}]|\r(?!\n)")
_CONTROL_OR_BREAK = re.compile(f"[{_DANGEROUS}\t\r\n]")
# Commands to the logs of GitHub (`::name::` first on a line, after blanks), Azure and TeamCity (`##name[`).
_COMMAND = re.compile(r"^((?:\s|\x1b\[[\d;]*m)*)(?=::)|(?<=##)(?=\w*\[)", re.MULTILINE)


def shown(text: str) -> str:
    """`text` with escapes (`\\x1b`) in the place of characters that do more than to be seen."""
    return _CONTROL.sub(_escaped, text)


def shown_line(text: str) -> str:
    """The same on one line."""
    return _CONTROL_OR_BREAK.sub(_escaped, text)


def harmless(text: str) -> str:
    """`text` with a backslash before what a log would take for a command."""
    return _COMMAND.sub(lambda found: f"{found[1] or ''}\\", text)


def harmless_json(text: str) -> str:
    """A JSON text that means the same, and that neither a terminal nor a log obeys."""
    escaped = _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return re.sub(r"##(?=\w*\[)", "#\\\\u0023", escaped)


def all_shown(value: Any) -> Any:
    """A value of JSON with all its texts shown."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, list):
        return [all_shown(each) for each in value]
    return {key: all_shown(each) for key, each in value.items()} if isinstance(value, dict) else value


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return {9: "\\t", 10: "\\n", 13: "\\r"}.get(code) or (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
    )
