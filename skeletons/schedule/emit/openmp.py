"""Transformed nests as C with OpenMP: one parallel region for each, its loops shared by the threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import islpy as isl

from skeletons.schedule.core.marks import Chunks, Mark, Sum, of_kind
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.private_arrays import own_arrays
from skeletons.schedule.core.reductions import entered, section_of
from skeletons.schedule.core.tree import Band, Sequence, Tree, bands, sequence, statements
from skeletons.schedule.emit.bounds import Bounds
from skeletons.schedule.emit.captured import all_names, declared_in, hidden, pastes
from skeletons.schedule.emit.comments import Comments, comments_of
from skeletons.schedule.emit.copies import with_copies
from skeletons.schedule.emit.invariants import invariants
from skeletons.schedule.emit.lines import Lines, braced, with_body
from skeletons.schedule.emit.printer import Header, Printer, State
from skeletons.schedule.emit.threshold import condition_for
from skeletons.schedule.emit.updates import Kept, Piece, updates
from skeletons.schedule.emit.values import Value, value, with_values
from species.core.positions import Span
from species.sets.isl_to_c import Expressions
from species.source.text.code import block, names_in, parenthesised, rename

TextAt = Callable[[Span], str]  # what stands at a span of the file
MacroText = Callable[[str], str]  # the names that a macro's text mentions, "" for what is no macro


@dataclass(frozen=True)
class OpenMP:
    """How loops and statements read in C with OpenMP (`skeletons.schedule.emit.printer.Dialect`)."""

    model: ScopModel
    within: TextAt
    macro: MacroText
    bounds: Bounds
    comments: Comments
    region: bool  # inside a parallel region
    limit: str  # the clause that says when there is enough work

    def statement(self, name: str, values: tuple[str, ...], state: State) -> str:
        statement = self.model.statements[name]
        text = self._text(name)
        named = self._names(text)
        used = {i: v for i, v in zip(statement.iterators, values, strict=True) if i in named}
        meant = {i: value(v, self.bounds.ctype(name, i), state.types) for i, v in used.items()}
        changed = {i: v for i, v in meant.items() if v != Value(i, "")}
        if any(self._is_captured(text, i, v.text) for i, v in changed.items()):
            by_name, changed = changed, {}
        else:
            by_name = {}
        text = with_values(text, changed, self._summands(name, text), self.macro)
        declared = [f"{t.ctype} {t.name};" for t in statement.temporaries]
        alone = bool(statement.declared) and "\n" not in text  # no loop has a declaration for its body
        twice = bool(statement.declared) and name in state.repeated
        needs_block = bool(declared) or alone or twice or self._clashes(name)
        lines = self._with_variables(name, by_name, [*declared, *text.split("\n")], needs_block)
        return "\n".join([*self._comments(name), *lines])

    def _clashes(self, name: str) -> bool:
        """Does another statement, which may come into the same block, name what this one declares?"""
        own = set(self.model.statements[name].declared)
        others = (s for s in self.model.statements.values() if s.name != name) if own else ()
        return any(own & self._names(self._text(other.name)) for other in others)

    def _text(self, name: str) -> str:
        """What a statement of the source runs."""
        statement = self.model.statements[name]
        return block(self.within(statement.span) if statement.text is None else statement.text, 0)

    def _comments(self, owner: object) -> Lines:
        """The comments before a statement (by name) or a loop of the tree (by identity)."""
        return [line for comment in self.comments.get(owner, ()) for line in block(comment, 0).split("\n")]

    def _summands(self, name: str, text: str) -> set[str]:
        """Names in a statement whose sums are the same subscripts in a wider type: of signed numbers."""
        iterators = self.model.statements[name].iterators
        known = {text for _, text in self.model.scop.parameters if text.isidentifier()}
        known |= {each for each in names_in(text) if self.bounds.is_number(each)}
        return known - set(iterators) | {i for i in iterators if self.bounds.adds_up(name, i)}

    def _is_captured(self, text: str, iterator: str, value: str) -> bool:
        """May the value not stand in the iterator's place, since other things than its name are there?"""
        taken = hidden(text, self.macro) | declared_in(text)
        return bool(taken & {iterator, *names_in(value)}) or pastes(text, self.macro)

    def _with_variables(
        self, name: str, values: Mapping[str, Value], lines: Lines, needs_block: bool
    ) -> Lines:
        """The lines in a block of their own, with variables that have the iterators' names and values."""
        if not values:
            return braced(lines) if needs_block else lines
        fresh = {i: self.bounds.fresh(f"{i}_value") for i in values}
        types = {i: self.bounds.ctype(name, i) for i in values}
        if not any(set(names_in(v.text)) & set(values) for v in values.values()):
            return braced([f"const {types[i]} {i} = {v.text};" for i, v in values.items()] + lines)
        first = [f"const {types[i]} {fresh[i]} = {v.text};" for i, v in values.items()]
        second = [f"const {types[i]} {i} = {fresh[i]};" for i in values]
        return braced([*first, *braced([*second, *lines])])

    def _names(self, text: str) -> set[str]:
        """All names in a text, and those that its macros mention."""
        return all_names(text, self.macro)

    def _hidden(self, text: str) -> set[str]:
        """The names that macros in the text mention."""
        return hidden(text, self.macro)

    def bound(self, band: Band, text: str) -> str:
        return self.bounds.readable(band, text)

    def loop_name(self, band: Band) -> str:
        others = (s for s in statements(band) if band.name not in self.model.statements[s].iterators)
        if band.name in self.model.loops and not any(band.name in self._names(self._text(s)) for s in others):
            return band.name
        return self.bounds.fresh(band.name)

    def type_of(self, band: Band) -> str:
        return self.bounds.type_of(band)

    def enters(self, band: Band, state: State) -> bool:
        return Mark.PARALLEL in band.marks or (self.region and not _is_shared(band))

    def lonely(self, lines: Lines, state: State) -> Lines:
        if not lines or state.alone or not self.region:
            return lines
        return ["#pragma omp single", *braced(lines)]

    def loop(self, header: Header, body: Lines, state: State) -> Lines:
        band = header.band
        comments = self._comments(id(band))
        if Mark.PARALLEL in band.marks and own_arrays(band):
            shared = partial(self._shared, header, body)
            return [*comments, *with_copies(self.model, header, self.bounds.fresh, shared)]
        return [*comments, *self._if_touched(band, self._pragmas(band, state), header, body)]

    def _if_touched(self, band: Band, pragmas: Lines, header: Header, body: Lines) -> Lines:
        """A loop, where the cells are there that every thread has copies of."""
        lines, touched = [*pragmas, *with_body(self._first(header), body)], self._touched(band)
        return with_body(f"if ({touched})", lines) if touched else lines

    def _touched(self, band: Band) -> str:
        """When a loop does anything, if its clauses name cells that need not be there otherwise."""
        sums = (mark.array for mark in of_kind(Sum, band.marks))
        names = tuple(statements(band))
        sections = (section_of(self.model, array, names) for array in sums)
        condition = entered(self.model, band)
        if not any(s and s.part for s in sections) or self.model.context.is_subset(condition):
            return ""
        build = isl.AstBuild.from_context(self.model.context)
        return Expressions(dict(self.model.scop.parameters)).text(build.expr_from_set(condition))

    def _shared(self, header: Header, body: Lines, last: Lines) -> Lines:
        """A loop inside of a parallel region."""
        band = header.band
        directive = f"#pragma omp for{self._sums(band)}{_schedule(band)}"
        return self._if_touched(band, [directive], header, [*body, *last])

    def _pragmas(self, band: Band, state: State) -> Lines:
        if Mark.PARALLEL in band.marks:
            simd = " simd" if Mark.SIMD in band.marks else ""
            directive, limit = ("for", "") if self.region else ("parallel for", self.limit)
            return [f"#pragma omp {directive}{simd}{self._sums(band)}{_schedule(band)}{limit}"]
        if self.region and not state.alone and not _is_shared(band):
            return ["#pragma omp single"]
        return ["#pragma omp simd"] if Mark.SIMD in band.marks else []

    def _sums(self, band: Band) -> str:
        """The clauses for the arrays of which every thread has its own."""
        found = ""
        for mark in sorted(of_kind(Sum, band.marks)):
            variable = next(a.variable for a in self.model.scop.arrays if a.name == mark.array)
            section = section_of(self.model, mark.array, statements(band))
            part = section.part if section is not None else ""
            found += f" reduction({mark.operator}:{variable}{part})"
        return found

    def updates(self, header: Header, pieces: list[Piece], state: State) -> Lines | None:
        band = header.band
        if not band.marks & {Mark.ACCUMULATE, Mark.UNROLLED, Mark.JAMMED}:
            return self._with_invariants(header, pieces, state)
        made = updates(self.model, band, pieces, self._hidden, self.bounds.fresh)
        sums = [kept for kept in made.kept if kept.outside]
        cells = [kept for kept in made.kept if not kept.outside]
        if (band.marks & {Mark.ACCUMULATE, Mark.UNROLLED} and not sums) or not (
            made.kept or Mark.JAMMED in band.marks
        ):
            return None
        body = [
            *(f"{kept.element} {kept.name} = {kept.cell};" for kept in cells),
            *made.body,
            *(f"{kept.cell} = {kept.name};" for kept in cells),
        ]
        comments = self._comments(id(band))
        loop = [*self._vector_pragma(band, sums, state), *with_body(self._first(header), body)]
        if not sums:
            return [*comments, *loop]
        single = ["#pragma omp single"] if self.region and not state.alone else []
        lines = [
            *(f"{kept.element} {kept.name} = {kept.cell};" for kept in sums),
            *loop,
            *(f"{kept.cell} = {kept.name};" for kept in sums),
        ]
        return [*comments, *single, *self._if_any(header, lines)]

    def _with_invariants(self, header: Header, pieces: list[Piece], state: State) -> Lines | None:
        """A loop for vectors, what stays the same in it read before; None where nothing does."""
        if Mark.PARALLEL in header.band.marks:
            return None
        kept, body = invariants(self.model, header.band, pieces, self.macro, self.bounds.fresh)
        if not kept:
            return None
        single = ["#pragma omp single"] if self.region and not state.alone else []
        lines = [
            *(f"const {one.element} {one.name} = {one.cell};" for one in kept),
            "#pragma omp simd",
            *with_body(self._first(header), body),
        ]
        return [*self._comments(id(header.band)), *single, *self._if_any(header, lines)]

    def _vector_pragma(self, band: Band, sums: list[Kept], state: State) -> Lines:
        if Mark.ACCUMULATE not in band.marks:
            return [] if Mark.UNROLLED in band.marks else self._pragmas(band, state)
        clauses = "".join(
            f" reduction({operator}:{', '.join(k.name for k in sums if k.operator == operator)})"
            for operator in dict.fromkeys(kept.operator for kept in sums)
        )
        return [f"#pragma omp simd{clauses}"]

    def _if_any(self, header: Header, lines: Lines) -> Lines:
        """The lines, if the loop makes an iteration: what is not touched must not be read or written."""
        if header.nonempty:
            return braced(lines)
        start = header.start if not set("?<>=&|") & set(header.start) else parenthesised(header.start)
        nonempty = rename(header.condition, {header.band.name: start})
        return with_body(f"if ({nonempty})", lines)

    def _first(self, header: Header) -> str:
        name, ctype = header.band.name, self.bounds.type_of(header.band)
        return f"for ({ctype} {name} = {header.start}; {header.condition}; {header.increment})"


def _schedule(band: Band) -> str:
    """The clause for a loop whose iterations take different times."""
    if Mark.CYCLIC in band.marks:
        return " schedule(static, 1)"
    for chunk in of_kind(Chunks, band.marks):
        return f" schedule(dynamic, {chunk.iterations})" if chunk.iterations > 1 else " schedule(dynamic)"
    return ""


def _is_shared(tree: Tree) -> bool:
    """Do threads share a loop in it?"""
    return any(Mark.PARALLEL in band.marks for band in bands(tree))


@dataclass(frozen=True)
class Writer:
    """Writes trees of one static control part; `product(statement)` are the lines of a contraction."""

    model: ScopModel
    text: str  # of the file
    within: TextAt
    macro: MacroText
    bounds: Bounds
    product: Callable[[str], Lines]
    threshold: bool

    def lines(self, tree: Tree) -> Lines:
        """The nests as C: one parallel region for all that stands between products."""
        lines, group = Lines(), list[Tree]()
        for child in tree.children if isinstance(tree, Sequence) else (tree,):
            if isinstance(child, Band) and Mark.PRODUCT in child.marks:
                lines += self._region(group) + self.product(next(statements(child)))
                group = []
            elif isinstance(child, Band) and own_arrays(child):
                lines += self._region(group) + self._region([child])
                group = []
            else:
                group.append(child)
        return lines + self._region(group)

    def _enough(self, shared: list[Tree]) -> str:
        """When there is enough for threads in what they share; empty: always."""
        return condition_for(self.model, sequence(shared)) if self.threshold and shared else ""

    def _region(self, children: list[Tree]) -> Lines:
        """A combined directive for one loop, a region around several."""
        if not children:
            return []
        shared = [child for child in children if _is_shared(child)]
        alone = len(shared) == 1 and isinstance(shared[0], Band) and Mark.PARALLEL in shared[0].marks
        region = bool(shared) and not alone
        tree = sequence(children)
        comments = comments_of(self.model, tree, self.text)
        limit = f" if({enough})" if (enough := self._enough(shared)) else ""
        dialect = OpenMP(self.model, self.within, self.macro, self.bounds, comments, region, limit)
        lines = Printer(self.model, dialect).lines(tree, State(dict(self.model.scop.parameters)))
        return [f"#pragma omp parallel{limit}", *braced(lines)] if region else lines
