"""The machine that the compiler compiles for: have its types the sizes that the analysis goes by?"""

from __future__ import annotations

from collections.abc import Iterable

from species.core.positions import Diagnostic, Position
from species.source.text.files import SourceError, SourceFile
from species.source.text.macros import MacroEvent

# Bytes in a value, as gcc and clang predefine them (LP64).
_BYTES = {
    "__SIZEOF_POINTER__": ("a pointer", 8),
    "__SIZEOF_LONG__": ("a `long`", 8),
    "__SIZEOF_INT__": ("an `int`", 4),
    "__SIZEOF_SHORT__": ("a `short`", 2),
    "__SIZEOF_FLOAT__": ("a `float`", 4),
    "__SIZEOF_DOUBLE__": ("a `double`", 8),
}


def check_machine(source: SourceFile, events: Iterable[MacroEvent]) -> None:
    """Raises SourceError (CV007) where the compiler says that a type has another size.

    What counts is its own definition of the macro that says so, before those of -D and of the file.
    """
    seen: set[str] = set()
    for event in events:
        if event.name not in _BYTES or event.name in seen or event.definition is None:
            continue
        seen.add(event.name)
        what, known = _BYTES[event.name]
        if event.definition.body.isdigit() and int(event.definition.body) != known:
            raise SourceError(Diagnostic("error", "CV007", _message(what, known, event), _start(source)))


def _message(what: str, known: int, event: MacroEvent) -> str:
    given = event.definition.body if event.definition else "?"
    return (
        f"the compiler is for a machine where {what} has {given} bytes, not {known};"
        " name one for a 64-bit machine with --cc, without -m32 and the like"
    )


def _start(source: SourceFile) -> Position:
    return Position(source.path, 1, 1)
