"""Kernels that move past what stands between them and another one.

That two pieces of code can change places is asked of the analyser: they can if a loop of two iterations, of
which one runs the one piece and the other one the other, may run these in any order.
"""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species.facts.loops import LoopFacts, Verdict
from species.source import Edit
from transfers.fuse.names import fresh, line_ends, on_one_line, words
from transfers.fuse.pairs import Neighbours, Surroundings

_ORDERED = ("firstprivate", "lastprivate", "lastprivate_conditional")


def stays(pair: Neighbours, around: Surroundings) -> str:
    """Why the second kernel cannot be written before what stays between the two; empty: it can."""
    why = "the statements between them cannot move before them"
    spans = {s: around.unit.statement_span(s) for s in (*pair.moved, *pair.staying)}
    if None in spans.values() or {spans[s] for s in pair.moved} & {spans[s] for s in pair.staying}:
        return why
    for statement in pair.staying:
        declares = isinstance(statement, c_ast.Decl | c_ast.Typedef | c_ast.DeclList)
        if declares and not _is_room(statement, pair):
            return why
    return ""


def _is_room(statement: Any, pair: Neighbours) -> bool:
    """Does it declare a variable, without a value, that the second kernel does not know?"""
    plain = isinstance(statement, c_ast.Decl) and statement.name and statement.init is None
    constant = plain and not any(isinstance(n, c_ast.ID | c_ast.FuncCall) for n in _types(statement))
    return bool(constant) and statement.name not in words(pair.second.node)


def _types(statement: Any) -> list[Any]:
    found, open_ = [], [statement.type]
    while open_:
        node = open_.pop()
        found.append(node)
        open_ += [child for _, child in node.children()]
    return found


def question(pair: Neighbours, around: Surroundings) -> list[Edit]:
    """The loop, in the place of the second kernel, that the analyser is asked about."""
    text, unit = around.unit.source.text, around.unit
    pieces = [s for s in pair.staying if not isinstance(s, c_ast.Decl)]
    spans = [span for s in pieces if (span := unit.statement_span(s)) is not None]
    staying = " ".join(on_one_line(span.of(text)) for span in spans)
    second, at = pair.second.region, fresh("t", unit)
    loop = f"for (int {at} = 0; {at} < 2; {at}++) {{ if ({at} == 0) {{ {staying} }} else {{ "
    asked = Edit(second, f"{loop}{on_one_line(second.of(text))} }} }}{line_ends(second.of(text))}")
    return [*(Edit(span, ";" + line_ends(span.of(text))) for span in spans), asked]


def tied(pair: Neighbours, asked: LoopFacts | None, around: Surroundings) -> str:
    """Why the second kernel must stay behind what stands between them; empty: it need not."""
    if asked is None or asked.verdict is not Verdict.PARALLEL or asked.conditions:
        why = asked.reasons[0].message if asked and asked.reasons else "it may touch the same memory"
        return f"it cannot move past the statements between them: {why}"
    second = around.used(pair.second.node)
    others = {symbol for statement in pair.staying for symbol in around.used(statement)}
    changed = {s for statement in (*pair.staying, pair.second.node) for s in around.written(statement)}
    own = set(asked.private) - {name for role in _ORDERED for name in getattr(asked, role)}
    found = min((s.name for s in second & others & changed if s.name not in own), default="")
    return f"the statements between them share '{found}' with the second one" if found else ""
