"""Loops along lists, with the nodes in a table: `for (p = l->head; p; p = p->next) work(p);` as

    { p = l->head; while (p) { node *nodes[1024]; int n = 0;
        for (; n < 1024 && (p); p = p->next) nodes[n++] = p;
        for (int i = 0; i < n; i++) { node *p = nodes[i]; work(p); } } }

Threads may share the last loop.  The nodes are looked up in chunks, so that nothing is allocated that there
may be no memory for, and that a core still has in its caches what it comes to next.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from cuvier.pipeline.decoupled import decoupled, is_shared
from cuvier.pipeline.macro_headers import Spelt
from cuvier.pipeline.stage import Again
from models.machine import Machine
from models.profitability import profitable
from skeletons.kernel.names import FreshNames
from species.core.positions import Span
from species.facts.loops import LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.syntax.statement_tree import read_statement
from species.source.text.edits import Edit
from species.source.text.for_headers import header_parts
from species.source.text.rewriting import Rewriting
from species.source.text.tokens import code_tokens
from transfers.fuse.names import on_one_line

Listing = Callable[[frozenset[str]], Again]  # how files are read in which tables of these names are such
CHUNK = 1024  # nodes, of which pointers are on the stack


def with_lists(
    unit: TranslationUnit, facts: UnitFacts, machine: Machine | None, listing: Listing
) -> tuple[Spelt, frozenset[str]] | None:
    """The file with the nodes of lists in tables, where threads can share the loops over these; and the names
    of the tables.  None: there are no such loops.

    With a `machine`, only where that is worth it there.
    """
    wanted = [loop for loop in facts.loops if _is_wanted(loop, facts, unit)]
    while wanted:
        names = FreshNames({token.text for token in code_tokens(unit.source.text)})
        tables = {loop.id: names.fresh("listed") for loop in wanted}
        edits = [edit for loop in wanted for edit in _edits(unit, loop, tables[loop.id], names)]
        text = Rewriting(unit.source.text, tuple(sorted(edits, key=lambda edit: edit.span.start)))
        again = listing(frozenset(tables.values()))
        other, now = again(text.text)
        served = _served(other, now, machine, again, wanted)
        if served == wanted:
            return Spelt(other, now, text), frozenset(tables.values())
        wanted = served
    return None


def _served(
    unit: TranslationUnit, facts: UnitFacts, machine: Machine | None, again: Again, wanted: list[LoopFacts]
) -> list[LoopFacts]:
    """The loops whose nodes' tables threads can share, or a stage of the loops over these."""
    known = profitable(unit, facts, machine, copies=True) if machine is not None else facts
    after = {loop.id: loop for loop in known.loops}
    staged: Collection[str] = ()
    if any((inner := after.get(_inner(loop.id))) is not None and inner.stages for loop in wanted):
        found = decoupled(unit, facts, machine, again)
        staged = found.loops if found is not None else ()
    return [
        loop
        for loop in wanted
        if is_shared(after.get(_inner(loop.id))) or any(s.startswith(f"{_inner(loop.id)}.") for s in staged)
    ]


def _is_wanted(loop: LoopFacts, facts: UnitFacts, unit: TranslationUnit) -> bool:
    """Is it one along a list, in no other such loop, nor in one that threads share?"""
    if loop.traversal is None or loop.users or loop.spans is None or loop.position.file != unit.source.path:
        return False
    around = [other for other in facts.loops if loop.id.startswith(f"{other.id}.")]
    return not any(other.traversal or other.verdict.is_parallel for other in around)


def _inner(identity: str) -> str:
    """The loop over the table, of which the loop along the list has become the one around it."""
    return f"{identity}.2"


def _edits(unit: TranslationUnit, loop: LoopFacts, table: str, names: FreshNames) -> Iterator[Edit]:
    """What stands in place of the header, and behind the body, on the same lines."""
    assert loop.spans is not None and loop.traversal is not None
    count, number = names.fresh("listed_n"), names.fresh("listed_i")
    text, body = unit.source.text, loop.spans.body
    header, body_text = loop.spans.header.of(text), body.of(text)
    statements = read_statement(body_text).sequence()
    parts = header_parts(header)
    pointer, ctype, ahead = loop.traversal.variable, loop.traversal.ctype, loop.traversal.ahead
    if parts is not None:
        start, test, step = (on_one_line(part.of(header)).strip() for part in parts)
        start, last = (f"{start};" if start else ""), (f" {pointer} = {ahead};" if ahead else "")
    else:
        start, test, last = "", on_one_line(header[header.index("(") + 1 : -1]), ""
        own_step = statements[-1].span
        step = on_one_line(own_step.of(body_text)).rstrip("; ")
        if not ahead:
            yield Edit(_shifted(own_step, body.start), "\n" * own_step.of(body_text).count("\n"))
    if ahead:  # which stays in use, so that compilers have nothing to say
        value = on_one_line(statements[0].span.of(body_text)).partition("=")[2]
        step = f"{pointer} = {value.strip('; ')}"
    own = f"{ctype}{'' if ctype.endswith('*') else ' '}"
    found = f"for (; {count} < {CHUNK} && ({test}); {step}) {table}[{count}++] = {pointer};"
    head = f"for (int {number} = 0; {number} < {count}; {number}++)"
    declared, is_block = f"{{ {own}{pointer} = {table}[{number}];", body_text.startswith("{")
    head += "" if is_block else f" {declared}"
    opened = f"{{ {start} while ({test}) {{ {own}{table}[{CHUNK}]; int {count} = 0; {found} {head}"
    yield Edit(loop.spans.header, opened + "\n" * header.count("\n"))
    if is_block:
        yield Edit(Span(body.start, body.start + 1), declared)
        yield Edit(Span(body.end - 1, body.end - 1), last)
    yield Edit(Span(body.end, body.end), " } }" if is_block else f"{last} }} }} }}")


def _shifted(span: Span, start: int) -> Span:
    return Span(start + span.start, start + span.end)
