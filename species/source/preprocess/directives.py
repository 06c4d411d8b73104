"""OpenMP directives that a user wrote: whose they are, as far as our own have to get on with them."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from pycparser import c_ast

from species.source.preprocess.output import Pragma, PreprocessedOutput
from species.source.text.files import SourceFile
from species.source.text.tokens import tokenize

_OWN = re.compile(r"(?:omp|acc)\b")
_THREADPRIVATE = re.compile(r"omp\s+threadprivate\s*\(([^)]*)\)")
_SETS_MODE = re.compile(
    r"\b(fesetround|fesetenv|fesetmode|feupdateenv|_mm_setcsr|__builtin_ia32_ldmxcsr|uselocale)\s*\("
)
_BOUND_TO_NO_TEAM = re.compile(r"omp\s+(?:end\s+)?(?:declare|threadprivate|requires|simd)\b")


_HINT = re.compile(r"(?:GCC\s+(?:ivdep|unroll|novector)|clang\s+loop|(?:no)?unroll|ivdep)\b")


def hinted_lines(output: PreprocessedOutput, source: SourceFile) -> frozenset[int]:
    """The lines of the output, from 1 on, that follow a hint to the compiler on how to compile a loop, or a
    directive that the file makes by the operator `_Pragma`.
    """
    written = {source.position(t.start).line for t in tokenize(source.text) if t.kind == "directive"}
    hints = (p for p in output.pragmas if _HINT.match(p.text) or _is_made(p, written))
    return frozenset(filter(None, (_next_line(output, p.output_line) for p in hints)))


def _is_made(pragma: Pragma, written: set[int]) -> bool:
    return bool(_OWN.match(pragma.text)) and pragma.visit == 0 and pragma.line not in written


def _next_line(output: PreprocessedOutput, line: int) -> int | None:
    """The first line with any code behind a line of the output."""
    numbered = enumerate(output.lines[line:], line + 1)
    return next((number for number, text in numbered if text.strip()), None)


@dataclass(frozen=True)
class Directives:
    """Names of variables of which each thread has its own, and of functions.

    In those that are `bound`, a directive speaks of the team that calls them; in those that are `unseen`, a
    macro makes one, so that the text does not show where.  `mode` is a function that the file calls to set
    what every thread has for itself, and keeps from the time when it was made.
    """

    threadprivate: frozenset[str] = frozenset()
    bound: frozenset[str] = frozenset()
    unseen: frozenset[str] = frozenset()
    mode: str = ""


def directives(
    output: PreprocessedOutput, ast: c_ast.FileAST, source: SourceFile, users_text: str
) -> Directives:
    """The directives of the file and of what it includes; `users_text` is without system headers."""
    own = [pragma for pragma in output.pragmas if _OWN.match(pragma.text)]
    mode = _SETS_MODE.search(users_text)
    if not own:
        return Directives(mode=mode[1] if mode else "")
    lists = (match[1] for p in own if (match := _THREADPRIVATE.match(p.text)))
    functions = _Functions(ast)
    written = {source.position(t.start).line for t in tokenize(source.text) if _is_directive(t.kind, t.text)}
    unseen = (p for p in own if p.visit == 0 and p.line not in written)
    return Directives(
        frozenset(name.strip() for names in lists for name in names.split(",")),
        functions.around([p for p in own if not _BOUND_TO_NO_TEAM.match(p.text)]),
        functions.around(list(unseen)),
        mode[1] if mode else "",
    )


def _is_directive(kind: str, text: str) -> bool:
    return kind == "directive" or text == "_Pragma"


class _Functions:
    """Where the functions of a file begin in the preprocessed text."""

    def __init__(self, ast: c_ast.FileAST) -> None:
        self._items = [item for item in ast.ext if item.coord is not None]
        self._lines = [item.coord.line for item in self._items]

    def around(self, pragmas: list[Pragma]) -> frozenset[str]:
        """The functions that the pragmas stand in; only declarations may stand between two of them."""
        items = (self._items[bisect_right(self._lines, p.output_line) - 1] for p in pragmas if self._lines)
        return frozenset(item.decl.name for item in items if isinstance(item, c_ast.FuncDef))
