"""Builds static control parts from the loops of a function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import islpy as isl
from pycparser import c_ast

from species.core.positions import Span
from species.dependence.flattened import Flattened
from species.dependence.flow.flows import Flow
from species.dependence.flow.scalars import FlowAnalysis
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.facts.scops import Scop, ScopLoop, ScopNode, ScopScalar, ScopStatement, statements_in
from species.loops.model import FunctionModel, Loop, Reference, inner_loops, nested
from species.loops.unsigned_bounds import UnsignedBounds
from species.openmp.structure_copies import StructureCopies
from species.scops.accumulators import Accumulator, accumulator
from species.scops.arrays import Arrays
from species.scops.called import at_calls
from species.scops.checks import check_calls, check_covered, check_leaf, check_loop, check_parameters
from species.scops.guards import Branch, branches
from species.scops.leaves import Leaf, Use, items_of, operator_of, parts, sums_of
from species.scops.names import Names
from species.scops.questions import questions
from species.scops.refused import Refused
from species.scops.separate_arrays import conditions_of
from species.scops.sets import Iterations, Parameters
from species.scops.straight import is_straight
from species.scops.sums import is_atom
from species.scops.temporaries import Temporaries
from species.sets.conditions import Condition
from species.source import TranslationUnit
from species.source.syntax.tree import walk
from species.source.text.for_headers import header_texts
from species.symbols.symbols import Symbol
from species.symbols.types import number_name

Guards = tuple[Condition, ...]  # what holds besides the bounds of the loops


class Context:
    """What all nests of a function have in common."""

    def __init__(
        self,
        unit: TranslationUnit,
        model: FunctionModel,
        judge: Judge,
        flows: FlowAnalysis,
        judgements: Mapping[int, Judgement],
        copies: StructureCopies,
    ) -> None:
        self.unit, self.model, self.judge, self.flows, self.judgements = unit, model, judge, flows, judgements
        self.copies = copies
        self._flattened: dict[tuple[int, ...], Flattened] = {}

    def references(self, tops: Iterable[Loop]) -> list[Reference]:
        """All references in some nests; raises Refused."""
        return list(at_calls(r for top in tops for r in self.judge.references(top)))

    def flattened(self, tops: tuple[Loop, ...]) -> Flattened:
        """What is flattened in some nests."""
        key = tuple(top.number for top in tops)
        if key not in self._flattened:
            self._flattened[key] = Flattened(self.references(tops), tops)
        return self._flattened[key]


class Builder:
    """Builds the static control part of some consecutive loops."""

    def __init__(self, context: Context, tops: tuple[Loop, ...], accumulating: bool = False) -> None:
        self._context, self._tops, self._accumulating = context, tops, accumulating
        self.accumulators: dict[tuple[Symbol, int], Accumulator] = {}  # by the number of the loop around
        self._model, self._unit = context.model, context.unit
        self._inside = frozenset().union(*(inner_loops(top) for top in tops))
        self._loops = {loop.number: loop for top in tops for loop in nested(top)}
        if any(loop.inlined for loop in self._loops.values()):
            raise Refused("it calls a function that has loops")
        self._renderer = Names(self._model, tops[0], context.judge.references(tops[0]))
        self._parameters = Parameters(self._renderer, self._inside)
        self._references = context.references(tops)
        self._written = {(r.symbol, r.place.base) for r in self._references if r.write}
        self._iterators = {loop.iterator for loop in self._loops.values()}
        self._temporaries = Temporaries(
            self._model.declared, self._inside, self._references, self._is_private
        )
        self._flattened = context.flattened(tops)
        self._arrays = Arrays(self._model, self._references, self._inside, self._flattened, self._renderer)
        self._leaves: list[Leaf] = []
        self._tested: list[tuple[Loop, Condition]] = []  # by branches in a loop
        self._conditions_read: list[Leaf] = []  # of branches, which the sets have taken over

    def scop(self) -> Scop:
        """Raises Refused."""
        self._check()
        nodes = tuple(self._loop(top) for top in self._tops)
        accesses = [r for r in self._references if self._reaches(r) or self._is_number(r)]
        conditions = conditions_of(self._model, self._context.judge, self._tops, accesses)
        conditions += tuple(self._arrays.tests())
        bounds = UnsignedBounds(self._model, self._inside, self._tops[0].conditions)
        touching = filter(self._is_access, self._references)
        nests = (self._parameters, self._loops, self._tested, touching)
        conditions += tuple(questions(bounds, *nests, conditions))
        structures = tuple(self._structures())
        conditions = (*self._renderer.guards, *conditions)
        self._check_sets(nodes)
        check_covered(self._references, [*self._leaves, *self._conditions_read], self._loops.values())
        check_parameters(self._parameters.texts(), self._references)
        spans = [node.spans.whole for node in nodes]
        known = self._tops[0].conditions
        return Scop(
            function=self._model.name,
            position=self._unit.loop_position(self._tops[0].node),
            span=Span(spans[0].start, spans[-1].end),
            nodes=nodes,
            arrays=tuple(self._arrays.described()),
            parameters=self._parameters.texts(),
            context=self._parameters.context(known, bounds.slack(self._loops.values())),
            conditions=conditions,
            structures=structures,
            unnamed=tuple(dict.fromkeys(symbol.name for symbol, _ in self.accumulators)),
        )

    def _structures(self) -> Iterator[str]:
        """Those that threads may have copies of; that pointers lead to some is noted as a condition."""
        for each, reference in self._context.copies.of_nests(self._tops, self._references).items():
            if not each.startswith("*") or self._renderer.place(reference.place) is not None:
                yield each

    # What rules a nest out

    def _check(self) -> None:
        for call in self._model.calls:
            if self._inside & set(call.loops):
                raise Refused(f"it calls {call.name}()")
        for top in self._tops:
            check_calls(top)
        for loop in self._loops.values():
            check_loop(loop, self._unit, self._context.flows)
        for reference in self._references:
            volatile = reference.place.ctype.volatile or reference.symbol.ctype.element.volatile
            if volatile:
                raise Refused(f"{reference.place.name} is volatile")

    def _check_sets(self, nodes: Iterable[ScopNode]) -> None:
        """isl takes all of the texts (it takes none with numbers that are too large)."""
        try:
            for statement in (s for node in nodes for s in statements_in(node)):
                isl.Set(statement.domain)
                for access in statement.accesses:
                    isl.Map(access.relation)
        except isl.Error:
            raise Refused("its numbers are too large") from None

    def _is_private(self, symbol: Symbol, number: int) -> bool:
        """Has every iteration of the loop its own?  Iterators belong to their loops."""
        if symbol in self._iterators:
            return False
        inside = self._context.judge.is_inside(symbol, self._loops[number])
        return inside or symbol in self._context.judgements[number].private

    # The tree

    def _loop(self, loop: Loop, guards: Guards = ()) -> ScopLoop:
        spans = self._unit.loop_spans(loop.node)
        assert spans is not None
        assert loop.iterator is not None
        header = _header(spans.header.of(self._unit.sources[self._unit.loop_position(loop.node).file].text))
        children = tuple(self._nodes(loop.node.stmt, loop, guards))
        own = {array.symbol: array.live for array in self._context.judgements[loop.number].arrays}
        temporary = {name: own[symbol] for (symbol, _), name in self._arrays.names.items() if symbol in own}
        return ScopLoop(
            iterator=loop.iterator.name,
            ctype=loop.iterator.ctype.text,
            unsigned=loop.iterator.ctype.unsigned,
            bits=loop.iterator.ctype.bits,
            declared_inside=loop.declared_inside,
            lower=header[0],
            condition=header[1],
            step=loop.step,
            spans=spans,
            children=children,
            temporary=tuple(temporary),
            live=tuple(name for name, live in temporary.items() if live),
        )

    def _nodes(self, body: Any, loop: Loop, guards: Guards) -> Iterator[ScopNode]:
        """Loops and statements of a loop's body, or of a branch in it, that run where `guards` hold."""
        by_node = {id(child.node): child for child in loop.own_children}
        if self._accumulating:
            self._find_accumulators(body, loop, frozenset(by_node))
        for part in parts(body, by_node.__contains__, partial(self._shared, loop)):
            if not isinstance(part, Leaf):
                yield self._loop(by_node[id(part)], guards)
                continue
            split = self._branches(part)
            self._tested += [(loop, branch.condition) for branch in split]
            for branch in split:
                yield from self._nodes(branch.body, loop, (*guards, branch.condition))
            if not split:
                yield from self._statements(part, loop, guards)

    def _find_accumulators(self, body: Any, loop: Loop, free: frozenset[int]) -> None:
        """Enters variables that stand for a cell in a block, where nothing else ties the items together."""
        items = items_of(body)
        for symbol in self._temporaries.of(loop.number):
            if (symbol, loop.number) in self.accumulators:
                continue
            apart = partial(self._is_apart, loop)
            found = accumulator(symbol, items, self._references, self._source, self._is_atom, apart)
            others = [other.last for other in self.accumulators.values()]
            if found is None or any(found.last is other for other in others):
                continue
            self.accumulators[symbol, loop.number] = found
            alone = parts(body, free.__contains__, partial(self._shared, loop))
            for end in (found.first, found.last):
                if not any(isinstance(p, Leaf) and p.items == (end,) for p in alone):
                    self.accumulators.pop((symbol, loop.number), None)

    def _is_apart(self, loop: Loop, first: Reference, second: Reference) -> bool:
        """Do two references to one array touch no common cell in any iteration of the loop?"""
        around = tuple(self._loops[n] for n in loop.path if n in self._inside)
        cells = []
        try:
            iterations = Iterations(self._parameters, around)
            for reference in (first, second):
                inside = (n for n in reference.loops if n in self._loops and n not in loop.path)
                inner = {n: self._loops[n] for n in inside}
                by_rows = self._flattened.by_rows(reference)
                cells.append(isl.Map(iterations.relation("S", by_rows, "A", inner)))
        except (Refused, isl.Error):
            return False
        alike = cells[0].get_space().dim(isl.dim_type.out) == cells[1].get_space().dim(isl.dim_type.out)
        return alike and bool(cells[0].is_disjoint(cells[1]))

    def _source(self, item: Any) -> str | None:
        """The text of a statement."""
        span = self._unit.statement_span(item)
        return span.of(self._unit.source.text) if span is not None else None

    def _is_atom(self, name: str) -> bool:
        """Is it no macro, or one whose text nothing beside it takes apart?"""
        macro = self._unit.macros.definition(name, self._unit.loop_position(self._tops[0].node).line)
        return macro is None or is_atom(macro.body)

    def _shared(self, loop: Loop, item: Any) -> dict[Symbol, Use]:
        """What an item of the loop's body names that has another value in every iteration."""
        own = self._temporaries.of(loop.number)
        shared = {symbol for symbol in own if (symbol, loop.number) not in self.accumulators}
        named = dict.fromkeys(s for n in walk(item) if (s := self._symbol(n)) in shared and s is not None)
        flow = self._context.flows.of(item)
        return {symbol: self._use(symbol, flow) for symbol in named}

    def _use(self, symbol: Symbol, flow: Flow) -> Use:
        """Whose values an item uses; what is declared in the nests stays with its declaration."""
        declared = set(self._model.declared.get(symbol, ()))
        if symbol in flow.exposed or flow.must is None or declared & self._inside:
            return Use.READS
        return Use.BEGINS if symbol in flow.must else Use.MAY_BEGIN

    def _branches(self, leaf: Leaf) -> tuple[Branch, ...]:
        if len(leaf.items) > 1:
            return ()
        found = branches(leaf.items[0], self._model, self._parameters, self._references)
        if found:
            self._conditions_read.append(Leaf((leaf.items[0].cond,)))
        return found

    def _symbol(self, node: Any) -> Symbol | None:
        """The variable that an identifier or a declaration names."""
        if isinstance(node, c_ast.Decl):
            if {"static", "extern"} & set(node.storage) or isinstance(
                node.type, c_ast.Struct | c_ast.Union | c_ast.Enum
            ):
                raise Refused("a declaration in a loop is of more than the loop")
            return next((s for s in self._temporaries if s.node is node), None)
        if isinstance(node, c_ast.Typedef | c_ast.Label | c_ast.Pragma):
            raise Refused("a loop holds a type, a label or a pragma")
        return self._context.flows.symbol(node) if isinstance(node, c_ast.ID) else None

    def _statements(self, leaf: Leaf, loop: Loop, guards: Guards) -> Iterator[ScopStatement]:
        """The statement that a leaf is; none where the variable that it is about has become a cell."""
        holds = leaf.holds()
        references = [r for r in self._references if id(r.node) in holds and loop.number in r.loops]
        around = [a for (_, n), a in self.accumulators.items() if n in loop.path]
        named = [a for a in around if any(n is a.symbol for n in self._named(leaf))]
        if not named:
            yield self._statement(leaf, loop, guards, references)
            return
        if len(named) > 1:
            raise Refused("a statement is about two sums")
        types = {id(r.node): number_name(r.place.ctype.element) for r in references}
        text = named[0].rewritten(leaf.items, self._span(leaf).of(self._unit.source.text), types)
        if text is None:
            raise Refused(f"{named[0].symbol.name} has no other name")
        if not text:
            self._leaves.append(leaf)
            return
        references = [*references, *self._of_cell(named[0])]
        made = self._statement(leaf, loop, guards, references)
        chosen = isinstance(leaf.items[0], c_ast.If) and not text.startswith("if")
        plain = made.plain or chosen or leaf.items == (named[0].first,)
        yield replace(made, text=text, declared=(), plain=plain)

    def _named(self, leaf: Leaf) -> Iterator[Symbol | None]:
        return (self._symbol(n) for item in leaf.items for n in walk(item))

    def _is_accumulator(self, reference: Reference) -> bool:
        return any((reference.symbol, number) in self.accumulators for number in reference.loops)

    def _of_cell(self, found: Accumulator) -> Iterator[Reference]:
        """What a statement that has the cell for the variable touches besides: the cell, what it is named by,
        and where its text is made of the last assignment's, what stands there.
        """
        inside = {id(n) for n in walk(found.last if found.term is not None else found.last.lvalue)}
        yield from (r for r in self._references if id(r.node) in inside and r.symbol is not found.symbol)
        yield found.target
        yield replace(found.target, write=False)

    def _statement(
        self, leaf: Leaf, loop: Loop, guards: Guards, references: list[Reference]
    ) -> ScopStatement:
        check_leaf(leaf)
        name = f"S{len(self._leaves)}"
        self._leaves.append(leaf)
        around = tuple(self._loops[n] for n in loop.path if n in self._inside)
        iterations = Iterations(self._parameters, around, guards)
        inner = {
            n: self._loops[n] for r in references for n in r.loops if n in self._inside and n not in loop.path
        }
        access = partial(self._arrays.access, name, iterations=iterations, inner=inner)
        accesses = [access(r) for r in references if self._is_access(r)]
        own = [r for r in references if id(r.node) in leaf.holds()]
        alone = len(leaf.items) == 1
        return ScopStatement(
            name=name,
            span=self._span(leaf),
            iterators=iterations.iterators,
            domain=iterations.domain(name),
            accesses=tuple(dict.fromkeys(accesses)),
            operator=operator_of(own, lambda r: access(r).relation) if alone and not inner else None,
            sums=tuple((access(r).array, operator) for r, operator in sums_of(filter(self._is_access, own))),
            temporaries=tuple(self._own_temporaries(own, inner)),
            text=None,
            declared=tuple(item.name for item in leaf.items if isinstance(item, c_ast.Decl)),
            guarded=bool(guards),
            plain=alone and isinstance(leaf.items[0], c_ast.Assignment | c_ast.UnaryOp),
            loops=bool(inner),
            trips=tuple(self._renderer.lengths(inner, self._inside)),
            uneven=any(loop.ends_early or not (loop.counted and loop.exact) for loop in inner.values()),
            straight=is_straight(leaf, inner),
        )

    def _own_temporaries(
        self, references: Iterable[Reference], inner: Mapping[int, Loop]
    ) -> Iterator[ScopScalar]:
        """Of the scalars that need no memory between executions, and iterators of loops inside, those that
        are declared outside of the nests."""
        kept = (r for r in references if self._temporaries.holds(r) and not self._is_accumulator(r))
        named = dict.fromkeys(r.symbol for r in kept)
        named |= dict.fromkeys(loop.iterator for loop in inner.values() if loop.iterator is not None)
        for symbol in named:
            if not self._model.declared.get(symbol, ()) or not self._inside & set(
                self._model.declared[symbol]
            ):
                yield ScopScalar(symbol.name, symbol.ctype.text)

    def _span(self, leaf: Leaf) -> Span:
        spans = [self._unit.statement_span(item) for item in leaf.items]
        if spans[0] is None or spans[-1] is None:
            raise Refused("a statement comes from a macro")
        return Span(spans[0].start, spans[-1].end)

    # Accesses

    def _is_lasting(self, reference: Reference) -> bool:
        """Is it about memory that outlives the execution of the statement?"""
        if self._temporaries.holds(reference) and not self._is_pointer_outside(reference):
            return False
        return not reference.place.is_variable or reference.symbol not in self._iterators

    def _is_number(self, reference: Reference) -> bool:
        """Is it about a variable that is to stay what it is, even where pointers lead to it?"""
        return self._is_lasting(reference) and reference.symbol.ctype.kind in ("int", "float")

    def _is_access(self, reference: Reference) -> bool:
        """Is it about memory that may change, or is an array?  (Members that no statement writes stay what
        they are where the conditions hold.)
        """
        return self._reaches(reference) and not self._is_fixed_member(reference)

    def _is_fixed_member(self, reference: Reference) -> bool:
        return _is_member(reference) and (reference.symbol, reference.place.base) not in self._written

    def _reaches(self, reference: Reference) -> bool:
        """Is it about memory that may change, is an array, or a member of a structure?"""
        symbol, plain = reference.symbol, reference.place.is_variable
        if not self._is_lasting(reference):
            return False
        changes = any(r.write and r.symbol is symbol and r.place.is_variable for r in self._references)
        return not plain or symbol.ctype.kind in ("struct", "union") or changes

    def _is_pointer_outside(self, reference: Reference) -> bool:
        """Does it reach memory through a pointer that is a temporary?"""
        return not reference.place.is_variable and reference.symbol.ctype.kind == "pointer"


def _is_member(reference: Reference) -> bool:
    return not reference.place.loose and any(isinstance(step, str) for step in reference.place.path)


def _header(text: str) -> tuple[str, str]:
    """The start and the condition in `for (i = start; condition; ...)`; raises Refused."""
    parts = header_texts(text)
    if parts is None:
        raise Refused("the header of a loop comes from a macro")
    return parts[:2]
