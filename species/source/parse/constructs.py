"""Statements under OpenMP directives of the user's: threads have variables of their own there, and run the
statement any number of times, or later.

    int k = 1;
    #pragma omp parallel firstprivate(k)
    { k = 0; }                               /* k is 1 afterwards, and 0 where the directive is ignored */

The tree gets an `if` with an unknown condition around them, so that whatever they assign may be as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pycparser import c_ast

from species.source.preprocess.output import Pragma
from species.source.syntax.children import replace_child

_DIRECTIVE = re.compile(r"(?:omp|acc)\s+(.*)", re.DOTALL)
_ALONE = re.compile(
    r"(?:end|declare|begin|threadprivate|requires|barrier|flush|taskwait|taskyield|cancel|cancellation|scan"
    r"|depobj|interop|allocate|routine|update|wait|enter|exit|target\s+(?:enter|exit)\s+data|target\s+update)\b"
)
_NO_THREADS = re.compile(r"simd\b")
_STATEMENTS = frozenset(("iftrue", "iffalse", "stmt", "stmts", "block_items"))  # where these stand
_UNKNOWN = c_ast.EmptyStatement()  # a condition of which nothing is known

_Place = tuple[c_ast.Node, c_ast.Node, str]  # a statement, what it is a part of, and its name there


def stands_alone(words: str) -> bool:
    """Has a directive, given without `omp` or `acc`, no statement?"""
    return _ALONE.match(words) is not None


def starts_threads(words: str) -> bool:
    """Does it have one that threads run?  (Or a device, or other threads later.)"""
    return not stands_alone(words) and _NO_THREADS.match(words) is None


def guard_constructs(ast: c_ast.FileAST, pragmas: Iterable[Pragma]) -> None:
    """Puts such conditions around the statements that follow directives."""
    read = ((pragma, _DIRECTIVE.match(pragma.text)) for pragma in pragmas)
    found = [pragma for pragma, match in read if match is not None and starts_threads(match[1])]
    for function in ast.ext if found else ():
        if isinstance(function, c_ast.FuncDef) and function.body.coord is not None:
            places = list(_places(function.body))
            chosen = {id(place[0]): place for p in found if (place := _next(function, places, p)) is not None}
            for statement, parent, name in chosen.values():
                if getattr(statement, "cond", None) is _UNKNOWN:
                    continue  # of a header that has been read before
                replace_child(parent, name, c_ast.If(_UNKNOWN, statement, None, statement.coord))


def _places(parent: c_ast.Node) -> Iterator[_Place]:
    """Where statements stand, outer ones first."""
    for name, statement in parent.children():
        if name.partition("[")[0] in _STATEMENTS:
            yield statement, parent, name
            yield from _places(statement)


def _next(function: c_ast.FuncDef, places: list[_Place], pragma: Pragma) -> _Place | None:
    """The first statement behind the directive, if that stands in the function."""
    line = pragma.output_line
    if function.body.coord.line > line:
        return None
    behind = (place for place in places if place[0].coord is not None and place[0].coord.line > line)
    return next(behind, None)
