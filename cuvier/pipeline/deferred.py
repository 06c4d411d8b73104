"""Serial loops with statements put off: `for (..) { v = work(i); if (v > 0) append(&list, v); }` as

    while (from < n) { const int end = ..;
        for (int i = from; i < end; i++) { log_of[i - from] = 0; double v = work(i);
            if (v > 0) { struct late late = {0, v}; log_of[i - from] = note(log_of[i - from], &late); } }
        for (int i = from; i < end; i++) for (late = first(log_of[i - from]); late; late = next(late)) {
            double v = late->v; append(&list, v); } from = end; }

Threads may share the first of these loops.  As nothing says how much an iteration puts off, the program times
chunks of iterations in this form and as they were written, and goes on in the form that is faster.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace

from cuvier.pipeline.base.chunks import chunks
from cuvier.pipeline.base.counted_header import counted_header
from cuvier.pipeline.base.rewritten import Rewritten
from cuvier.pipeline.base.settle import settle
from cuvier.pipeline.base.shared import loops_around, shared_by_threads
from cuvier.pipeline.base.stage import Again
from skeletons import CompileOptions
from skeletons.catalogue.passes import THRESHOLD
from skeletons.kernel.names import FreshNames
from skeletons.kernel.spelling import user_words
from skeletons.select.feedback import LATER, may_have_static
from species.core.positions import Span
from species.facts.loop_forms import NOTE, Deferral, Late, LateFunction
from species.facts.loops import LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.line_numbers import looks_at_lines
from species.source.text.code import code_tokens, matching, names_in
from species.source.text.edits import Edit, apply_edits
from species.source.text.rewriting import Rewriting
from transfers.fuse.names import on_one_line

_PLAIN = frozenset(("NULL", "stdin", "stdout", "stderr", "EOF"))  # macros of the library that look at nothing
MOST = 4096  # iterations in a chunk: there is a pointer for each on the stack


def deferred(
    unit: TranslationUnit, facts: UnitFacts, options: CompileOptions, again: Again
) -> Rewritten | None:
    """The file with statements of serial loops put off, where threads share what is left; None: nowhere."""
    shared = shared_by_threads(unit, facts, options) if any(loop.deferral for loop in facts.loops) else ()
    alone = [loop for loop in facts.loops if not any(each.startswith(f"{loop.id}.") for each in shared)]
    limited = replace(options, without=options.without - {THRESHOLD})
    long = shared_by_threads(unit, facts, limited) if shared else ()
    busy = {loop.function for loop in facts.loops if loop.id in long}
    wanted = [x for x in alone if _is_wanted(x, facts, unit) and busy.isdisjoint(_named(x, unit))]

    def propose(refused: Container[str]) -> Rewritten | None:
        left = [loop for loop in wanted if _parallel(loop) not in refused]
        names = FreshNames(user_words(unit))
        edits = [edit for loop in left for edit in _edits(unit, loop, names)]
        text = Rewriting(unit.source.text, tuple(sorted(edits, key=lambda edit: edit.span.start)))
        places = {_parallel(loop): loop.spans for loop in left if loop.spans is not None}
        return Rewritten(*again(text.text), text, stood=places) if left else None

    def unserved(made: Rewritten) -> dict[str, str]:
        """Inner functions' loops first: with many more iterations than they have, others seem to be short."""
        shared = shared_by_threads(made.unit, made.facts, options)
        left = {each: "threads do not share it" for each in made.stood if each not in shared}
        called = {each: why for each, why in left.items() if not each.startswith("main/")}
        return called or left

    return settle(propose, unserved)


def _is_wanted(loop: LoopFacts, facts: UnitFacts, unit: TranslationUnit) -> bool:
    """Can statements be put off in it, in no loop around it, nor in one that threads share?"""
    if loop.deferral is None or loop.stages is not None or loop.users or loop.spans is None:
        return False
    if not may_have_static(unit, loop.function) or _tells_lines(loop, loop.deferral, unit):
        return False
    if not LATER.isdisjoint(user_words(unit) | unit.macros.names):
        return False
    around = loops_around(loop, facts)
    header = counted_header(loop.spans.header.of(unit.source.text), loop.deferral.iterator)
    return header is not None and not any(
        each.deferral or each.stages or each.verdict.is_parallel for each in around
    )


def _named(loop: LoopFacts, unit: TranslationUnit) -> set[str]:
    """The names in a loop's body: those of functions that it calls are among them."""
    assert loop.spans is not None
    return {*names_in(loop.spans.body.of(unit.source.text))}


def _tells_lines(loop: LoopFacts, form: Deferral, unit: TranslationUnit) -> bool:
    """May what is moved look at the number of its line, as `assert` does?"""
    assert loop.spans is not None
    moved = [loop.spans.body, *(each.definition for each in form.functions)]
    words = {word for span in moved for word in names_in(span.of(unit.source.text))} - _PLAIN
    return looks_at_lines(unit) and not words.isdisjoint({*unit.macros.names, "__LINE__"})


def _parallel(loop: LoopFacts) -> str:
    """The loop of which nothing is left to be done in order, in the one over chunks."""
    return f"{loop.id}.1"


def _edits(unit: TranslationUnit, loop: LoopFacts, names: FreshNames) -> Iterator[Edit]:
    assert loop.spans is not None and loop.deferral is not None
    body, text, form = loop.spans.body, unit.source.text, loop.deferral
    header = loop.spans.header.of(text)
    parts = chunks(header, form, names)
    logs, most, state = names.fresh("log_of"), names.fresh("most"), names.fresh("timed")
    log = f"{logs}[{form.iterator} - {parts.first}]"
    trips = f"(long)({parts.header.bound}) - ({parts.header.start})"
    site, record = names.fresh("site"), names.fresh("record")
    late = [_Kind(k, each, names.fresh(f"late_{k}"), site) for k, each in enumerate(form.late)]
    here = [each for each in late if body.holds(each.late.span)]
    declared = f" static __thread long {state}[8]; void *{logs}[{MOST}];"
    declared += f" const {form.ctype} {most} = ({form.ctype})cuvier_note_chunk({trips});"
    declared += "".join(f" {each.struct};" for each in here)
    asked = f"if (cuvier_later({state}, (long){parts.end} - {parts.first}))"
    opened = f"{parts.opened(declared, most)} {asked} {{ {parts.head} {{ {log} = 0;"
    yield Edit(loop.spans.header, opened + "\n" * header.count("\n"))
    for each in here:
        yield Edit(each.late.span, each.note(log) + "\n" * each.late.span.of(text).count("\n"))
    for function in form.functions:
        own = [each for each in late if function.definition.holds(each.late.span)]
        yield from _in_function(text, function, own, log, names)
    cases = " else ".join(each.case(record, text) for each in late)
    steps = f"void *{record} = cuvier_first_note({log}); {record}; {record} = cuvier_next_note({record})"
    plain = f"else {parts.head} {on_one_line(body.of(text))} cuvier_later_timed({state});"
    done = f"{parts.head} for ({steps}) {{ {cases} }} }} {plain}"
    yield Edit(Span(body.end, body.end), f" }} {done}{parts.closed}")


def _in_function(
    text: str, function: LateFunction, late: Sequence[_Kind], log: str, names: FreshNames
) -> Iterator[Edit]:
    """A copy of a function that notes what is put off, behind it, and its call."""
    copy, own = names.fresh(f"{function.name}_later"), names.fresh("log")
    start, definition = function.definition.start, function.definition.of(text)
    tokens = code_tokens(definition)
    named = next(k for k, token in enumerate(tokens) if token.text == function.name)
    first, last = tokens[named + 1].end, tokens[matching(tokens, named + 1)].start
    none = "".join(token.text for token in code_tokens(definition[first:last])) in ("", "void")
    edits = [Edit(Span(tokens[named].start, tokens[named].end), copy)]
    edits.append(Edit(Span(first if none else last, last), f"{'' if none else ', '}void **{own}"))
    for each in late:
        place = Span(each.late.span.start - start, each.late.span.end - start)
        edits.append(Edit(place, each.note(f"*{own}")))
    static = "" if any(token.text == "static" for token in tokens[:named]) else "static "
    structs = "".join(f" {each.struct};" for each in late)
    made = f"{structs} {static}{on_one_line(apply_edits(definition, edits))}"
    yield Edit(Span(function.definition.end, function.definition.end), made)
    call = code_tokens(text[function.call.end :])
    close = function.call.end + call[matching(call, 0)].start
    yield Edit(function.call, copy)
    yield Edit(Span(close, close), f"{'' if call[1].text == ')' else ', '}&{log}")


@dataclass(frozen=True)
class _Kind:
    """Statements that are put off, by their `number`; their notes are structures of a type called `name`."""

    number: int
    late: Late
    name: str
    site: str

    @property
    def struct(self) -> str:
        """The type of a note: which statements they are, and the values that they take."""
        members = "".join(f" {_typed(each.ctype)}{each.variable};" for each in self.late.noted)
        return f"struct {self.name} {{ int {self.site};{members} }}"

    def note(self, log: str) -> str:
        """The statement in place of theirs, which notes that they are to be done, and with what values."""
        values = ", ".join([str(self.number), *(each.variable for each in self.late.noted)])
        noted = f"struct {self.name} {self.name} = {{{values}}};"
        return f"{{ {noted} {log} = {NOTE}({log}, &{self.name}, sizeof {self.name}); }}"

    def case(self, record: str, text: str) -> str:
        """What is done with a note of them."""
        members = ((v.variable, f"{_typed(v.ctype)}{v.variable}") for v in self.late.noted)
        values = "".join(f" {declared} = {self.name}->{v}; (void){v};" for v, declared in members)
        found = f"struct {self.name} *{self.name} = {record};{values}" if values else ""
        done = on_one_line(self.late.span.of(text))
        return f"if (*(int *){record} == {self.number}) {{ {found} {{ {done} }} }}"


def _typed(ctype: str) -> str:
    return f"{ctype}{'' if ctype.endswith('*') else ' '}"
