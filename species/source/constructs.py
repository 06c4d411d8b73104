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

from species.source.output import Pragma

# All but those that stand alone, and `simd`, which starts no threads.
_CONSTRUCT = re.compile(
    r"(?:omp|acc)\s+(?!(?:end|declare|begin|threadprivate|requires|simd|barrier|flush|taskwait|taskyield|cancel"
    r"|cancellation|scan|depobj|interop|allocate|routine|update|wait|enter|exit)\b)"
)
_UNKNOWN = c_ast.EmptyStatement()  # a condition of which nothing is known


def guard_constructs(ast: c_ast.FileAST, pragmas: Iterable[Pragma]) -> None:
    """Puts such conditions around the statements that follow directives."""
    found = [p for p in pragmas if _CONSTRUCT.match(p.text)]
    for function in ast.ext if found else ():
        if isinstance(function, c_ast.FuncDef) and function.body.coord is not None:
            places = list(_places(function.body))
            chosen = {id(place[0]): place for p in found if (place := _next(function, places, p)) is not None}
            for statement, parent, field, index in chosen.values():
                _put(parent, field, index, c_ast.If(_UNKNOWN, statement, None, statement.coord))


_Place = tuple[c_ast.Node, c_ast.Node, str, int]  # a statement, what it is a part of, and where there


def _places(parent: c_ast.Node) -> Iterator[_Place]:
    """Where statements stand, outer ones first."""
    for field in ("iftrue", "iffalse", "stmt", "stmts", "block_items"):
        held = getattr(parent, field, None)
        for index, statement in enumerate(held if isinstance(held, list) else [held]):
            if isinstance(statement, c_ast.Node):
                yield statement, parent, field, index
                yield from _places(statement)


def _next(function: c_ast.FuncDef, places: list[_Place], pragma: Pragma) -> _Place | None:
    """The first statement behind the directive, if that stands in the function."""
    line = pragma.output_line
    if function.body.coord.line > line:
        return None
    behind = (place for place in places if place[0].coord is not None and place[0].coord.line > line)
    return next(behind, None)


def _put(parent: c_ast.Node, field: str, index: int, statement: c_ast.Node) -> None:
    held = getattr(parent, field)
    if isinstance(held, list):
        held[index] = statement
    else:
        setattr(parent, field, statement)
