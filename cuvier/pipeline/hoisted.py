"""Conditions that call functions, in variables: `if (test(x[i])) z[k++] = i;` as

    int test_1 = (test(x[i])) != 0; if (test_1) z[k++] = i;

so that a serial loop can run in stages: the test in parallel, what hangs on it in order.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import pairwise

from cuvier.pipeline.base.rewritten import Rewritten
from cuvier.pipeline.base.settle import settle
from cuvier.pipeline.base.shared import loops_around
from cuvier.pipeline.base.stage import Again
from cuvier.pipeline.decoupled import decoupled
from skeletons import CompileOptions
from skeletons.kernel.names import FreshNames
from skeletons.kernel.spelling import user_words
from species.core.positions import Span
from species.facts.loops import LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.syntax.statement_tree import Statement, read_statement
from species.source.text.code import code_tokens, on_one_line
from species.source.text.edits import Edit
from species.source.text.rewriting import Rewriting


@dataclass(frozen=True)
class Hoisted(Rewritten):
    """The file with such variables in some loops, by their ids, and what becomes of it in stages."""

    loops: frozenset[str]
    staged: Rewritten | None


def in_stages(
    unit: TranslationUnit, facts: UnitFacts, options: CompileOptions, again: Again
) -> tuple[Rewritten, ...]:
    """The file with serial loops in stages, whose conditions are in variables where that is what it takes."""
    wanted = [loop for loop in facts.loops if _is_wanted(loop, facts, unit)]

    def propose(refused: Container[str]) -> Hoisted | None:
        left = [loop for loop in wanted if loop.id not in refused]
        return _made(unit, left, options, again) if left else None

    def unserved(made: Hoisted) -> dict[str, str]:
        taken = {each.rpartition(".")[0] for each in made.staged.stood} if made.staged is not None else ()
        return {each: "it is not in stages then" for each in made.loops if each not in taken}

    found = settle(propose, unserved)
    if found is not None and found.staged is not None:
        return found, found.staged
    staged = decoupled(unit, facts, options, again)
    return (staged,) if staged is not None else ()


def _is_wanted(loop: LoopFacts, facts: UnitFacts, unit: TranslationUnit) -> bool:
    """Is it serial, with such a condition, and in no loop that is parallel, or is in stages?"""
    if loop.verdict.is_parallel or loop.stages is not None or loop.users or loop.kind != "for":
        return False
    if loop.spans is None or loop.position.file != unit.source.path or loop.traversal is not None:
        return False
    around = loops_around(loop, facts)
    if any(other.stages or other.verdict.is_parallel for other in around):
        return False
    return any(_conditions(unit, loop))


def _conditions(unit: TranslationUnit, loop: LoopFacts) -> Iterator[tuple[Statement, Span]]:
    """The statements of the body that begin with such a condition, and where in the body that is."""
    assert loop.spans is not None
    body = loop.spans.body.of(unit.source.text)
    for statement in read_statement(body).sequence() if "#" not in body else ():
        header = statement.header if statement.kind == "if" else None
        if header is not None and _calls(unit, header.of(body)):
            yield statement, header


def _calls(unit: TranslationUnit, text: str) -> bool:
    """Is a function of the file called?"""
    tokens = [token.text for token in code_tokens(text)]
    return any(after == "(" and unit.defines(word) for word, after in pairwise(tokens) if word.isidentifier())


def _made(unit: TranslationUnit, loops: list[LoopFacts], options: CompileOptions, again: Again) -> Hoisted:
    names = FreshNames(user_words(unit))
    edits = sorted((e for loop in loops for e in _edits(unit, loop, names)), key=lambda edit: edit.span)
    written = Rewriting(unit.source.text, tuple(edits))
    read = again(written.text)
    staged = {loop.id for loop in read[1].loops if loop.stages is not None}
    ids = frozenset(loop.id for loop in loops)
    return Hoisted(*read, written, ids, decoupled(*read, options, again) if ids & staged else None)


def _edits(unit: TranslationUnit, loop: LoopFacts, names: FreshNames) -> Iterator[Edit]:
    """On the same lines; a body that is a condition alone becomes a block."""
    assert loop.spans is not None
    body, text = loop.spans.body, unit.source.text
    alone = not body.of(text).startswith("{")
    for statement, header in _conditions(unit, loop):
        name = names.fresh("holds")
        place, condition = (
            body.start + statement.span.start,
            Span(body.start + header.start, body.start + header.end),
        )
        lines = "\n" * condition.of(text).count("\n")
        opened = "{ " * alone
        yield Edit(Span(place, place), f"{opened}int {name} = ({on_one_line(condition.of(text))}) != 0; ")
        yield Edit(condition, name + lines)
    if alone:
        yield Edit(Span(body.end, body.end), " }")
