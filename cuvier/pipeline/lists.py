"""Loops along lists, with the nodes in a table: `for (p = l->head; p; p = p->next) work(p);` as

    { p = l->head; node *nodes[1024]; while (p) { int n = 0;
        for (; n < 1024 && (p); p = p->next) nodes[n++] = p;
        for (int i = 0; i < n; i++) { node *p = nodes[i]; work(p); } } }

Threads may share the last loop.  The nodes are looked up in chunks, so that nothing is allocated that there
may be no memory for, and that a core still has in its caches what it comes to next.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass

from cuvier.pipeline.base.rewritten import Rewritten
from cuvier.pipeline.base.settle import settle
from cuvier.pipeline.base.shared import loops_around, shared_by_threads
from cuvier.pipeline.base.stage import Again
from cuvier.pipeline.decoupled import decoupled
from skeletons import CompileOptions
from skeletons.catalogue.passes import DECOUPLE
from skeletons.kernel.names import FreshNames
from skeletons.kernel.spelling import user_words
from species.core.positions import LoopSpans, Span
from species.facts.loop_forms import Traversal
from species.facts.loops import LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.syntax.statement_tree import read_statement
from species.source.text.edits import Edit
from species.source.text.for_headers import header_parts
from species.source.text.rewriting import Rewriting
from transfers.fuse.names import on_one_line

Listing = Callable[[frozenset[str]], Again]  # how files are read in which tables of these names are such
CHUNK = 1024  # nodes, of which pointers are on the stack


@dataclass(frozen=True)
class Listed(Rewritten):
    """The file with the nodes of lists in tables, by the ids of the loops along the lists."""

    tables: Mapping[str, str]


def with_lists(
    unit: TranslationUnit, facts: UnitFacts, options: CompileOptions, listing: Listing
) -> Listed | None:
    """The file with the nodes of lists in tables, where threads can share the loops over these, or a stage of
    them; None: there are no such loops.
    """
    wanted = [loop for loop in facts.loops if _is_wanted(loop, facts, unit)]

    def propose(refused: Container[str]) -> Listed | None:
        left = [loop for loop in wanted if loop.id not in refused]
        names = FreshNames(user_words(unit))
        tables = {loop.id: names.fresh("listed") for loop in left}
        edits = [edit for loop in left for edit in _edits(unit, loop, tables[loop.id], names)]
        text = Rewriting(unit.source.text, tuple(sorted(edits, key=lambda edit: edit.span.start)))
        again = listing(frozenset(tables.values()))
        return Listed(*again(text.text), text, tables) if left else None

    def unserved(made: Listed) -> dict[str, str]:
        served = {*shared_by_threads(made.unit, made.facts, options)}
        if DECOUPLE not in options.without:
            again = listing(frozenset(made.tables.values()))
            staged = decoupled(made.unit, made.facts, options, again)
            served |= {each.rpartition(".")[0] for each in staged.stood} if staged is not None else set()
        return {each: "threads do not share it" for each in made.tables if _inner(each) not in served}

    return settle(propose, unserved)


def _is_wanted(loop: LoopFacts, facts: UnitFacts, unit: TranslationUnit) -> bool:
    """Is it one along a list, in no other such loop, nor in one that threads share?"""
    if loop.traversal is None or loop.users or loop.spans is None or loop.position.file != unit.source.path:
        return False
    around = loops_around(loop, facts)
    if any(other.traversal or other.verdict.is_parallel for other in around):
        return False
    return _texts(unit, loop, loop.spans, loop.traversal) is not None


@dataclass(frozen=True)
class _Texts:
    """What a loop along a list consists of, besides its body: what it does first, its test, and the step to
    the next node; what of the body has gone, and what each iteration still does at its end.
    """

    start: str
    test: str
    step: str
    gone: Span | None = None
    last: str = ""


def _texts(unit: TranslationUnit, loop: LoopFacts, spans: LoopSpans, along: Traversal) -> _Texts | None:
    """None: macros or preprocessor lines hide some of it."""
    header, body = spans.header.of(unit.source.text), spans.body.of(unit.source.text)
    statements, parts = read_statement(body).sequence(), header_parts(header)
    ahead = _assigned(statements[0].span.of(body), along.ahead) if along.ahead else None
    hidden = "#" in header or ("#" in body and (parts is None or bool(along.ahead)))
    if hidden or (along.ahead and ahead is None) or (parts is None and loop.kind != "while"):
        return None
    step = f"{along.variable} = {ahead}"
    if parts is not None:
        start, test, own = (on_one_line(part.of(header)).strip() for part in parts)
        last = f" {along.variable} = {along.ahead};" if along.ahead else ""
        return _Texts(f"{start};" if start else "", test, step if along.ahead else own, None, last)
    test = on_one_line(header.strip().partition("(")[2][:-1])
    if along.ahead:  # which stays in use, so that compilers have nothing to say
        return _Texts("", test, step)
    final = statements[-1].span
    value = _assigned(final.of(body), along.variable)
    gone = Span(spans.body.start + final.start, spans.body.start + final.end)
    return _Texts("", test, f"{along.variable} = {value}", gone) if value is not None else None


def _assigned(statement: str, variable: str) -> str | None:
    """What a statement, or a declaration of nothing else, sets a variable to; None: it is another."""
    found = re.fullmatch(rf"[\w\s*]*\b{variable}\s*=(?!=)([^,;]*);?", on_one_line(statement).strip())
    return found[1].strip() if found is not None else None


def _inner(identity: str) -> str:
    """The loop over the table, of which the loop along the list has become the one around it."""
    return f"{identity}.2"


def _edits(unit: TranslationUnit, loop: LoopFacts, table: str, names: FreshNames) -> Iterator[Edit]:
    """What stands in place of the header, and behind the body, on the same lines."""
    assert loop.spans is not None and loop.traversal is not None
    along, body, source = loop.traversal, loop.spans.body, unit.source.text
    texts = _texts(unit, loop, loop.spans, along)
    assert texts is not None
    count, number = names.fresh("listed_n"), names.fresh("listed_i")
    if texts.gone is not None:
        yield Edit(texts.gone, "\n" * texts.gone.of(source).count("\n"))
    pointer, ctype = along.variable, along.ctype
    own = f"{ctype}{'' if ctype.endswith('*') else ' '}"
    found = f"for (; {count} < {CHUNK} && ({texts.test}); {texts.step}) {table}[{count}++] = {pointer};"
    head = f"for (int {number} = 0; {number} < {count}; {number}++)"
    declared = f"{{ {own}{pointer} = {table}[{number}]; (void){pointer};"
    is_block = body.of(source).startswith("{")
    head += "" if is_block else f" {declared}"
    # The table is declared before the loop, for gcc: see `decoupled`.
    opened = f"{{ {texts.start} {own}{table}[{CHUNK}]; while ({texts.test}) {{ int {count} = 0; {found} "
    yield Edit(loop.spans.header, opened + head + "\n" * loop.spans.header.of(source).count("\n"))
    if is_block:
        yield Edit(Span(body.start, body.start + 1), declared)
        yield Edit(Span(body.end - 1, body.end - 1), texts.last)
    yield Edit(Span(body.end, body.end), " } }" if is_block else f"{texts.last} }} }} }}")
