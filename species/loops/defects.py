"""The last line of defence: what nobody foresaw costs the function in which it happens, and not its file.

Tests set CUVIER_STRICT=1, under which nothing is contained: a mistake of ours is to be seen there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from pycparser import c_ast

from species.source.text.files import SourceError

STRICT = "CUVIER_STRICT"


class Defect(Exception):
    """An error in the analysis of `function`, which can be left out."""

    def __init__(self, function: c_ast.FuncDef, error: Exception) -> None:
        super().__init__(str(error))
        self.function, self.error = function, error

    @property
    def message(self) -> str:
        """What happened, for the user, and what to do about it."""
        name = self.function.decl.name
        if isinstance(self.error, RecursionError):
            return f"function '{name}' is nested too deeply to be analysed, and left out; split it"
        detail = " ".join(str(self.error).split()) or "no details"
        return (
            f"internal error in function '{name}', which is not analysed:"
            f" {type(self.error).__name__}: {detail}; please report this with the file"
        )


@contextmanager
def contained(function: c_ast.FuncDef) -> Iterator[None]:
    """Within the block, an exception becomes a `Defect`, but for those that are meant for the file."""
    try:
        yield
    except (SourceError, MemoryError, Defect):
        raise
    except RecursionError as error:
        raise Defect(function, error) from error
    except Exception as error:
        if os.environ.get(STRICT) == "1":
            raise
        raise Defect(function, error) from error
