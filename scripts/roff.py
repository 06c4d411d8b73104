"""Pages of manuals: what `man` formats, with nothing in a text taken for a command."""

from __future__ import annotations

import re
from collections.abc import Iterable

# A minus is none of the hyphens at which lines are broken, and quotes are to be copied as they are.
_ESCAPES = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"}
_SPECIAL = re.compile(r"[\\'`^~-]|[^\x00-\x7f]")


def escaped(text: str) -> str:
    """A line that is shown as it is."""
    shown = _SPECIAL.sub(lambda found: _ESCAPES.get(found[0]) or rf"\[u{ord(found[0]):04X}]", text)
    return rf"\&{shown}" if shown.startswith(".") else shown


def bold(text: str) -> str:
    return rf"\fB{escaped(text)}\fP"


def prose(text: str) -> str:
    """Words to be filled into lines; what stands between backquotes is bold."""
    parts = re.split(r"`([^`]+)`", " ".join(text.split()))
    return "".join(bold(part) if at % 2 else escaped(part) for at, part in enumerate(parts))


def header(name: str, section: int, source: str, manual: str) -> str:
    return f'.TH {name.upper()} {section} "" "{escaped(source)}" "{escaped(manual)}"\n'


def section(title: str, *parts: str) -> str:
    return f".SH {escaped(title)}\n{''.join(parts)}"


def subsection(title: str, *parts: str) -> str:
    return f".SS {escaped(title)}\n{''.join(parts)}"


def paragraph(text: str) -> str:
    """A paragraph of prose."""
    return f".PP\n{prose(text)}\n"


def entry(term: str, text: str) -> str:
    """A term, in roff, and what it means, indented."""
    return f".TP\n{term}\n{prose(text)}\n"


def verbatim(lines: Iterable[str]) -> str:
    """Lines as they are, indented."""
    shown = "".join(f"{escaped(line)}\n" for line in lines)
    return f".PP\n.RS 4\n.nf\n{shown}.fi\n.RE\n"
