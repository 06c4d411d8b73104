"""Judges a loop: may its iterations run in any order, under which conditions, and why not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import Any

from species.dependence.aliases import Relation, relation
from species.dependence.assumptions import Assumption, assumptions
from species.dependence.byte_views import as_written, by_bytes
from species.dependence.distinct import apart_by_numbers
from species.dependence.exact.dependence_test import Dependence, carried
from species.dependence.exact.gcd_banerjee import EXACT
from species.dependence.findings import Finding, refused_call
from species.dependence.flow.flows import Flow
from species.dependence.flow.scalars import FlowAnalysis
from species.dependence.judgement import Judgement, Proviso
from species.dependence.no_op_iterations import idle
from species.dependence.parametric import harmless
from species.dependence.privates import Privates
from species.dependence.range_test import apart_in_ranges
from species.dependence.reductions import (
    common_operator,
    extreme_of_members,
    extremes,
    of_elements,
    of_variable,
)
from species.dependence.tables import Tables, tables_of
from species.dependence.windows import apart_in_windows
from species.dependence.wording import Wording
from species.loops.environment import is_shared
from species.loops.model import Call, FunctionModel, Loop, Place, Reference, inner_loops, nested
from species.loops.moving_pointers import in_rows, seen_from, with_origins
from species.loops.pointees import analysis_of, holds_own, is_held_by_variables, owner_of
from species.loops.unsigned_bounds import LARGEST, UnsignedBounds
from species.sets.affine import Affine, Atom, Value
from species.sets.conditions import TRUE, Both, Compare, atoms
from species.source.syntax.tree import walk
from species.symbols.symbols import FRESH, Symbol


class Judge:
    """Judges the loops of one function."""

    def __init__(
        self,
        model: FunctionModel,
        flows: FlowAnalysis,
        privates: Privates,
        wording: Wording,
        tests: tuple[str, ...] = (EXACT,),
        listed: frozenset[str] = frozenset(),
    ) -> None:
        """`listed`: the names of tables whose pointers are known to lead to different objects."""
        self._model, self._flows, self._privates, self.wording = model, flows, privates, wording
        self.tests, self._listed = tests, listed
        self._tables = Tables(model.origins)
        self._inside: dict[int, list[Reference]] = {}
        self._seen: dict[int, list[Reference]] = {}
        for reference in model.references:
            for number in reference.loops:
                self._inside.setdefault(number, []).append(reference)

    def references(self, loop: Loop) -> list[Reference]:
        """Everything that is read or written inside the loop, in terms of the pointers at its start."""
        if loop.number not in self._seen:
            found = with_origins(loop, self._as_found(loop), self._model.origins)
            self._seen[loop.number] = by_bytes(self._tables.as_arrays(loop, found))
        return self._seen[loop.number]

    def _as_found(self, loop: Loop) -> list[Reference]:
        """The same, whatever the loop writes: values are those of the moment."""
        return [seen_from(loop, r) for r in self._inside.get(loop.number, [])]

    def placed(self, judgement: Judgement) -> list[Reference]:
        """The references as reports describe them; where the loop is parallel, what stays in rows then has
        subscripts, and values are those from before the loop.
        """
        loop = judgement.loop
        found = as_written(self.references(loop)) if judgement.is_parallel else self._as_found(loop)
        return [in_rows(r, judgement.provided) for r in found]

    def judge(self, loop: Loop) -> Judgement:
        """Under the weaker conditions where there are several."""
        judgement = self._judged(loop)
        if judgement.is_parallel and not judgement.overlaps and not _has_moving_sums(judgement):
            return judgement
        for each in assumptions(loop, self.references(loop)) if loop.counted and EXACT in self.tests else ():
            again = self._trial(loop, judgement, each)
            if again is not None:
                return again
        return judgement

    def _trial(self, loop: Loop, judgement: Judgement, assumed: Assumption) -> Judgement | None:
        """The judgement of a loop on an assumption, if that is a better one; it stands then."""
        plain = self.references(loop)
        self._seen[loop.number] = assumed.references
        again = self._judged(loop)
        is_better = judgement.overlaps or not judgement.is_parallel or not _has_moving_sums(again)
        if again.is_parallel and is_better:
            finding = Finding("CV204", "a subscript may be larger than it seems", loop.node)
            again.rest_on(assumed.condition, assumed.claims, (), finding)
            return again
        self._seen[loop.number] = plain
        return None

    def _judged(self, loop: Loop) -> Judgement:
        judgement = Judgement(loop)
        for obstacle in loop.obstacles:
            judgement.findings.append(Finding(obstacle.code, obstacle.message, obstacle.node))
        self._calls(judgement)
        if loop.counted:
            self._scalars(judgement)
            self._memory(judgement)
            self._bounds(judgement)
        if not judgement.is_parallel:
            judgement.give_up()
        return judgement

    def _bounds(self, judgement: Judgement) -> None:
        """Asks whether the starts are what the tests take them for."""
        loop = judgement.loop
        if not self._model.assumed or not judgement.is_parallel:
            return
        bounds = UnsignedBounds(self._model, inner_loops(loop), loop.conditions)
        values = bounds.relied_on(nested(loop))
        if values and not self._is_apart_without(judgement, frozenset(values)):
            finding = Finding("CV307", "its start may wrap around", loop.node)
            least = tuple(Compare(-Affine.of(value) + LARGEST) for value in values)
            judgement.provisos.append(Proviso(Both(least), (), finding))

    def _is_apart_without(self, judgement: Judgement, values: frozenset[Atom]) -> bool:
        """Are the iterations apart whatever the numbers are that may wrap around, and change in the loop?"""
        loop = judgement.loop
        if not any(value.loops & inner_loops(loop) for value in values):
            return False
        known, trial = self.references(loop), Judgement(loop)
        self._seen[loop.number] = [_without(reference, values) for reference in known]
        self._memory(trial)
        self._seen[loop.number] = known
        alike = len(trial.overlaps) == len(judgement.overlaps) and trial.reductions == judgement.reductions
        private = trial.arrays or judgement.arrays  # what covers them is known by the conditions
        return trial.is_parallel and alike and not private and not trial.checks

    def is_search(self, loop: Loop) -> bool:
        """Is the loop serial only because some iterations end it?"""
        leaves = loop.obstacles and all(o.code in ("CV301", "CV302") for o in loop.obstacles)
        if not leaves or loop.iterator is None:
            return False
        trial = Judgement(loop)
        for part in (self._calls, self._scalars, self._memory):
            part(trial)
        return trial.is_parallel and not trial.checks

    def along(self, loop: Loop, node: Place) -> Judgement:
        """What an uncounted loop would be whose iterations find different nodes at `node`, which they reach
        by a variable that leads from node to node.
        """
        known, trial = self.references(loop), Judgement(loop)
        cursor = [r for r in known if r.symbol is node.symbol and r.place.is_variable]
        self._seen[loop.number] = [_numbered(r, node, loop) for r in known if r not in cursor]
        for part in (self._calls, self._scalars, self._memory):
            part(trial)
        self._seen[loop.number] = known
        return trial

    def uses_copies(self, loop: Loop) -> bool:
        """Does the loop, or what it calls, use variables of which each thread has its own?"""
        return False

    def _calls(self, judgement: Judgement) -> None:
        among = self.references(judgement.loop)
        references = [r for r in among if r.place.base or not self.is_inside(r.symbol, judgement.loop)]
        for call in self._model.calls:
            if judgement.loop.number in call.loops and not self._has_own_memory(call, judgement.loop):
                known = {(f.message, f.node) for f in judgement.findings}
                found = refused_call(self._as_reading(call, judgement.loop), references, self.wording)
                judgement.findings += [f for f in found if (f.message, f.node) not in known]

    def _as_reading(self, call: Call, loop: Loop) -> Call:
        """The call; as one that reads, where all that it writes is variables of the same iteration."""
        if call.effect != "unknown" or not self._flows.effects.candidates(call.node):
            return call
        analysis = self._flows.effects.points_to
        own = analysis is not None and analysis.writes_of_calls(
            call.node, self._model.name, lambda symbol: self.is_inside(symbol, loop)
        )
        return replace(call, effect="reading") if own else call

    def _has_own_memory(self, call: Call, loop: Loop) -> bool:
        """Does the call allocate, or free what the same iteration allocated?"""
        name = getattr(call.node.name, "name", None)
        if call.effect != "allocation" or name not in (*FRESH, "free"):
            return False
        if name in FRESH or not call.node.args:
            return name in FRESH
        symbol, analysis = self._flows.symbol(call.node.args.exprs[0]), self._flows.effects.points_to
        if symbol is not None and self.allocates(loop, symbol):
            return True
        return analysis is not None and analysis.frees_own(
            call.node, self._model.name, lambda symbol: self.is_inside(symbol, loop)
        )

    def allocates(self, loop: Loop, symbol: Symbol) -> bool:
        """Does the pointer reach memory that every iteration allocates for itself, and nothing else?"""
        if not symbol.is_single_allocation or symbol.storage != "local":
            return False
        if symbol.exposed and not is_held_by_variables(symbol):
            return False
        if self.is_inside(symbol, loop):
            return True
        inside = any(n is symbol.allocation for n in walk(loop.node))
        return inside and symbol not in self._flows.iteration(loop.node).exposed

    # Scalars

    def _scalars(self, judgement: Judgement) -> None:
        loop = judgement.loop
        flow = self._flows.iteration(loop.node)
        grouped: dict[Symbol, list[Reference]] = {}
        for reference in self.references(loop):
            if reference.place.is_variable and reference.symbol.is_scalar:
                grouped.setdefault(reference.symbol, []).append(reference)
        grouped = {s: rs for s, rs in grouped.items() if not self._is_out_of_reach(judgement, s, rs, flow)}
        changed = {s for s, references in grouped.items() if any(r.write for r in references)}
        outer = {s: references for s, references in grouped.items() if not self.is_inside(s, loop)}
        found = extremes(outer, self.changing(loop))
        judgement.reductions += found
        places = {symbol for each in found for symbol in (each.place.symbol, *each.with_it)}
        for symbol, references in grouped.items():
            if symbol in changed and symbol is not loop.iterator and symbol not in places:
                self._scalar(judgement, symbol, references, flow)

    def changing(self, loop: Loop) -> set[Symbol | None]:
        """The iterator, all variables and arrays that the loop writes, and those that every iteration has."""
        own = {symbol for symbol, loops in self._model.declared.items() if loop.number in loops}
        return {loop.iterator, *own, *(r.symbol for r in self.references(loop) if r.write)}

    def _is_out_of_reach(
        self, judgement: Judgement, symbol: Symbol, references: list[Reference], flow: Flow
    ) -> bool:
        """Notes a variable that every iteration needs a copy of, where a callee or pointer means itself."""
        if self.is_inside(symbol, judgement.loop) or not any(r.write for r in references):
            return False
        if self._is_carried(judgement.loop, symbol, references, flow):
            return False  # no copy would do
        write = next(r for r in references if r.write)
        if judgement.loop.hides(symbol) and not write.inlining:
            message = f"'{symbol.name}' is one variable for all iterations, and has no name outside"
            judgement.findings.append(Finding("CV201", message, write.node, (), symbol))
            return True
        stranger = next((r for r in references if not self._flows.sees_copy(r)), None)
        if stranger is None:
            return False
        where = f"'{stranger.inlining.name}', which is called," if stranger.inlining else "a pointer"
        here, there = self.wording.places(write.node, stranger.node)
        message = f"'{symbol.name}' is changed{here}, and {where} refers to the variable itself{there}"
        judgement.findings.append(Finding("CV201", message, stranger.node, (write.node,), symbol))
        return True

    def _is_carried(self, loop: Loop, symbol: Symbol, references: list[Reference], flow: Flow) -> bool:
        """Does an iteration need the value of an earlier one, other than for a reduction or for counting?"""
        counted = symbol is loop.iterator or symbol in loop.steps
        combined = common_operator(references) is not None or any(
            r.update and r.update.is_place for r in references
        )
        return symbol in flow.exposed and not counted and not combined

    def _scalar(self, judgement: Judgement, symbol: Symbol, references: list[Reference], flow: Flow) -> None:
        loop = judgement.loop
        if self.is_inside(symbol, loop):
            return
        if symbol not in flow.exposed:
            self._privatise(judgement, symbol, references, flow)
            return
        combined = of_variable(loop, symbol, references)
        if combined is not None:
            judgement.reductions.append(combined)
        elif symbol in loop.steps:
            judgement.linear.append(symbol)
        else:
            self._carried_scalar(judgement, symbol, references, flow.exposed[symbol])

    @property
    def functions(self) -> Mapping[str, Any]:
        """The functions of the file, as nodes."""
        return self._flows.functions

    def is_own(self, symbol: Symbol) -> bool:
        """Is it a parameter of the function, or a variable that is declared in it?"""
        own = self._flows.functions.get(self._model.name)
        return own is None or any(self._flows.symbol(node) is symbol for node in walk(own))

    def is_inside(self, symbol: Symbol, loop: Loop) -> bool:
        """Is the variable declared inside the loop, a new one in every iteration?"""
        return loop.number in self._model.declared.get(symbol, ())

    def _privatise(
        self, judgement: Judgement, symbol: Symbol, references: list[Reference], flow: Flow
    ) -> None:
        if not self._flows.live_after(judgement.loop.node, symbol):
            judgement.private.append(symbol)
        elif flow.must is not None and symbol in flow.must:
            judgement.lastprivate.append(symbol)
        elif self._is_written_here(judgement.loop, references):
            judgement.conditional.append(symbol)
        else:
            write = next(r for r in references if r.write)
            message = f"'{symbol.name}' is needed after the loop, and not every iteration writes it"
            judgement.findings.append(Finding("CV202", message, write.node, (), symbol))

    def _is_written_here(self, loop: Loop, references: list[Reference]) -> bool:
        """Do all writes name the variable in the text of the loop?  (No callee, and no pointer to it.)"""
        symbol = references[0].symbol
        return not is_shared(symbol) and self._privates.all_named_inside(loop, references)

    def _carried_scalar(
        self, judgement: Judgement, symbol: Symbol, references: list[Reference], read: Any
    ) -> None:
        update = next((r for r in references if r.update), None)
        if update is not None:
            other = next((r for r in references if not r.update), references[-1])
            message = self.wording.not_a_reduction(symbol, update, other)
            judgement.findings.append(Finding("CV207", message, other.node, (update.node,), symbol))
            return
        write = next(r for r in references if r.write)
        message, unsure = (
            self.wording.carried_scalar(symbol, write.node, read, certain) for certain in (True, False)
        )
        judgement.findings.append(Finding("CV201", message, read, (write.node,), symbol, unsure))

    # Memory

    def _memory(self, judgement: Judgement) -> None:
        loop = judgement.loop
        memory = [r for r in self.references(loop) if self._is_memory(r, loop)]
        groups: dict[tuple[Symbol, object], list[Reference]] = {}
        for reference in memory:
            groups.setdefault((reference.symbol, reference.place.base), []).append(reference)
        for first, second in combinations_with_replacement(list(groups.values()), 2):
            self._pair(judgement, first, second)

    def _is_memory(self, reference: Reference, loop: Loop) -> bool:
        if not reference.place.is_variable and self.allocates(loop, reference.symbol):
            return False
        if self.is_of_iteration(reference, loop):
            return False
        counts = reference.symbol is loop.iterator and reference.place.is_variable
        counts = counts and not is_shared(reference.symbol)  # else a pointer may lead to it
        if counts or self.is_inside(reference.symbol, loop):
            return reference.place.base is not None and loop.number in reference.place.base.loops
        return not (reference.place.is_variable and reference.symbol.is_scalar) or is_shared(reference.symbol)

    def is_of_iteration(self, reference: Reference, loop: Loop) -> bool:
        """Does a pointer lead to variables that each iteration has anew, its own or those of its calls?"""
        analysis = analysis_of(reference.place) if reference.place.base is not None else None
        return analysis is not None and analysis.is_of_calls(
            reference.place, self._model.name, lambda symbol: self.is_inside(symbol, loop)
        )

    def _pair(self, judgement: Judgement, first: list[Reference], second: list[Reference]) -> None:
        if not any(r.write for r in (*first, *second)):
            return
        loop = judgement.loop
        if first is second and relation(first[0].place, first[0].place, loop) is Relation.SAME:
            write = next(r for r in first if r.write)
            if not all(self.leads_to_own(table, first) for table in tables_of(write.symbol)):
                judgement.overlaps.append((write, write))  # one row with another
            if not all(r.place.is_variable and r.symbol.is_scalar for r in first):
                self._same_object(judgement, first)
            return
        if first is second and self._leads_apart(loop, first):
            return
        # Members of one structure have types of their own: what one cannot be, another may.
        pairs = ((a, b) for a in first for b in second if a.write or b.write)
        met = next((p for p in pairs if relation(p[0].place, p[1].place, loop) is not Relation.NONE), None)
        if met is not None:
            judgement.overlaps.append(met)

    def leads_to_own(self, table: Place, cells: Sequence[Reference]) -> bool:
        """Do the pointers of a table lead to different memory, always, as far as it is made of `cells`?"""
        is_listed = table.symbol.name in self._listed and table == Place(table.symbol)
        alone = is_listed and all(r.place.path[1:2] == (Affine(),) for r in cells)  # no others beside them
        return alone or holds_own(table)

    def _leads_apart(self, loop: Loop, references: list[Reference]) -> bool:
        """Is it memory of their own that different pointers lead to, and no cell of it in two iterations?"""
        owner = owner_of(references[0].place)
        if owner is None or not owner.loops & inner_loops(loop) or not holds_own(owner):
            return False
        if owner.base is not None and owner.base.loops & inner_loops(loop):
            return False  # subscripts of another array in each iteration
        return not any(self.dependences(loop, [_behind(owner, r) for r in references]))

    def _same_object(self, judgement: Judgement, references: list[Reference]) -> None:
        found = list(self.dependences(judgement.loop, references))
        if not found:
            return
        extreme = extreme_of_members(references)
        if extreme is not None:
            judgement.reductions.append(extreme)
            return
        combined, rest = of_elements(judgement.loop, found, references, self._flows.start_in(judgement.loop))
        inner = inner_loops(judgement.loop)
        decidable = judgement.is_parallel and EXACT in self.tests
        if decidable and self._follow(judgement, inner, found):
            return
        apart = apart_in_windows(judgement.loop, inner, found) if combined and decidable else None
        if apart is not None:  # better than copies of the array, of which nobody may know how large it is
            finding = self._explain(judgement.loop, found[0])
            judgement.provisos += [Proviso(apart, tuple(found), finding)] if apart != TRUE else []
            return
        judgement.reductions += combined
        if not rest:
            return
        private = None
        if len(rest) == len(found):
            private = self._privates.private_array(self._model, judgement.loop, references)
        if private is not None:
            judgement.arrays.append(private)
            return
        finding = self._explain(judgement.loop, rest[0])
        if decidable and self._differ(judgement, inner, rest, finding):
            return
        unmoved = idle(judgement.loop, rest, self.references(judgement.loop), finding) if decidable else []
        if unmoved:
            judgement.idle += unmoved
            return
        condition = harmless(judgement.loop, inner, rest) if decidable else None
        if decidable and condition is None:
            condition = apart_in_windows(judgement.loop, inner, rest)
        if condition == TRUE:
            return
        judgement.provisos.append(Proviso(condition or TRUE, tuple(rest), finding))
        if condition is None:
            judgement.give_up()

    def _follow(self, judgement: Judgement, inner: frozenset[int], found: list[Dependence]) -> bool:
        """Are the iterations' ranges one behind the other?  Notes what has to be asked."""
        loop = judgement.loop
        apart = apart_in_ranges(loop, inner, found, self.references(loop))
        if apart is None:
            return False
        judgement.rest_on(*apart, found, self._explain(loop, found[0]))
        return True

    def _differ(
        self, judgement: Judgement, inner: frozenset[int], rest: list[Dependence], finding: Finding
    ) -> bool:
        """Are the numbers that choose the cells of iterations distinct?  Notes what has to be asked."""
        loop = judgement.loop
        apart = apart_by_numbers(loop, inner, rest, self.references(loop))
        if apart is not None:
            judgement.rest_on(*apart, rest, finding)
        return apart is not None

    def dependences(self, loop: Loop, references: list[Reference]) -> Iterable[Dependence]:
        """Dependences that the loop carries between references to one object."""
        inner = inner_loops(loop)
        for a, b in combinations_with_replacement(references, 2):
            if a.write or b.write:
                pairs = [(a, b)] if a is b else [(a, b), (b, a)]
                yield from filter(None, (carried(loop, inner, x, y, self.tests) for x, y in pairs))

    def _explain(self, loop: Loop, dependence: Dependence) -> Finding:
        code = "CV203" if dependence.exact else "CV204"
        message, unsure = (self.wording.carried(loop, dependence, certain) for certain in (True, False))
        source = dependence.source
        return Finding(code, message, source.node, (dependence.sink.node,), source.symbol, unsure)


def _behind(owner: Place, reference: Reference) -> Reference:
    """A reference as to a cell of an array whose rows are what `owner` leads to."""
    inside = () if reference.place.loose else reference.place.path
    return replace(reference, place=replace(owner, path=(*owner.path, *inside), ctype=reference.place.ctype))


def _numbered(reference: Reference, node: Place, loop: Loop) -> Reference:
    """A reference to a node as to an element of an array, whose number is that of the iteration."""
    place = reference.place
    if (
        place.symbol is not node.symbol
        or place.base != node.base
        or place.loose
        or place.path[:1] != (Affine(),)
    ):
        return reference
    base = Value(("nodes", loop.number), frozenset(), node.symbol.name)
    path = (Affine.of(loop.counter), *place.path[1:])
    return replace(reference, place=replace(place, base=base, path=path))


def _without(reference: Reference, values: frozenset[Atom]) -> Reference:
    """The reference without its conditions on some values."""
    kept = (c for c in reference.conditions if values.isdisjoint(atoms(c)))
    return replace(reference, conditions=tuple(kept))


def _has_moving_sums(judgement: Judgement) -> bool:
    """Are sums taken for those of any cells, as nobody knows which ones an iteration adds to?"""
    inside = inner_loops(judgement.loop)
    return any(combined.place.loops & inside for combined in judgement.reductions)
