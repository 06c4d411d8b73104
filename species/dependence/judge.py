"""Judges a loop: may its iterations run in any order, under which conditions, and why not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any

from species.dependence.aliases import Relation, relation
from species.dependence.exact import Dependence, carried, meeting
from species.dependence.findings import Finding, refused_call
from species.dependence.flow import Flow, FlowAnalysis
from species.dependence.named import EXACT
from species.dependence.parametric import harmless
from species.dependence.privates import PrivateArray, Privates
from species.dependence.wording import Wording
from species.loops.affine import Affine
from species.loops.conditions import TRUE, Compare, Condition
from species.loops.domains import satisfiable
from species.loops.environment import is_shared
from species.loops.moved import as_assumed, seen_from
from species.loops.nest import Call, FunctionModel, Loop, Place, Reference, Update
from species.loops.symbols import FRESH, Symbol
from species.loops.updates import walk


@dataclass(frozen=True)
class Combined:
    """A reduction: the variable or array element that every iteration combines with `operator`."""

    operator: str
    place: Place
    node: Any  # an lvalue that names it
    conditions: tuple[str, ...] = ()
    with_it: tuple[Symbol, ...] = ()  # set together with the variable, by argmin and argmax
    keeps: str = ""  # which of several equal iterations argmin and argmax stand for: "first" or "last"

    @property
    def is_scalar(self) -> bool:
        return self.place.is_variable


@dataclass(frozen=True)
class Proviso:
    """Dependences of one object that are not there while `condition` holds; `finding` if it may not."""

    condition: Condition
    dependences: tuple[Dependence, ...]
    finding: Finding


@dataclass
class Judgement:
    """All that is found out about one loop.  `overlaps` are pairs of objects that must be disjoint."""

    loop: Loop
    findings: list[Finding] = field(default_factory=list)
    dependences: list[Dependence] = field(default_factory=list)
    reductions: list[Combined] = field(default_factory=list)
    private: list[Symbol] = field(default_factory=list)
    lastprivate: list[Symbol] = field(default_factory=list)
    conditional: list[Symbol] = field(default_factory=list)  # the last iteration that writes them counts
    arrays: list[PrivateArray] = field(default_factory=list)  # private to every iteration
    linear: list[Symbol] = field(default_factory=list)  # changed by `loop.steps[symbol]` in every iteration
    overlaps: list[tuple[Reference, Reference]] = field(default_factory=list)
    provisos: list[Proviso] = field(default_factory=list)

    @property
    def is_parallel(self) -> bool:
        return not self.findings

    def give_up(self, provisos: Iterable[Proviso]) -> None:
        """The conditions cannot be tested, or are of no use: the dependences count."""
        for proviso in list(provisos):
            self.provisos.remove(proviso)
            self.dependences += proviso.dependences
            self.findings.append(proviso.finding)


class Judge:
    """Judges the loops of one function."""

    def __init__(
        self,
        model: FunctionModel,
        flows: FlowAnalysis,
        privates: Privates,
        wording: Wording,
        tests: tuple[str, ...] = (EXACT,),
    ) -> None:
        self._model, self._flows, self._privates, self.wording = model, flows, privates, wording
        self.tests = tests
        self._inside: dict[int, list[Reference]] = {}
        self._seen: dict[int, list[Reference]] = {}
        for reference in model.references:
            for number in reference.loops:
                self._inside.setdefault(number, []).append(reference)

    def references(self, loop: Loop) -> list[Reference]:
        """Everything that is read or written inside the loop, in terms of the pointers at its start."""
        if loop.number not in self._seen:
            assumed = [n for n in nested(loop) if n.assumed]
            found = [seen_from(loop, r) for r in self._inside.get(loop.number, [])]
            self._seen[loop.number] = [as_assumed(assumed, r) for r in found] if assumed else found
        return self._seen[loop.number]

    def judge(self, loop: Loop) -> Judgement:
        judgement = Judgement(loop)
        for obstacle in loop.obstacles:
            judgement.findings.append(Finding(obstacle.code, obstacle.message, obstacle.node))
        self._calls(judgement)
        if loop.counted:
            self._scalars(judgement)
            self._memory(judgement)
        if not judgement.is_parallel:
            judgement.give_up(judgement.provisos)
        return judgement

    def is_search(self, loop: Loop) -> bool:
        """Is the loop serial only because some iterations end it?"""
        leaves = loop.obstacles and all(o.code in ("CV301", "CV302") for o in loop.obstacles)
        if not leaves or loop.iterator is None:
            return False
        trial = Judgement(loop)
        for part in (self._calls, self._scalars, self._memory):
            part(trial)
        return trial.is_parallel and not trial.provisos

    def _calls(self, judgement: Judgement) -> None:
        references = self.references(judgement.loop)
        for call in self._model.calls:
            if judgement.loop.number in call.loops and not self._has_own_memory(call, judgement.loop):
                known = {(f.message, f.node) for f in judgement.findings}
                found = refused_call(call, references, self.wording)
                judgement.findings += [f for f in found if (f.message, f.node) not in known]

    def _has_own_memory(self, call: Call, loop: Loop) -> bool:
        """Does the call allocate, or free what the same iteration allocated?"""
        name = getattr(call.node.name, "name", None)
        if call.effect != "allocation" or name not in (*FRESH, "free"):
            return False
        freed = call.node.args.exprs[0] if call.node.args else None
        symbol = self._flows.symbol(freed)
        return name in FRESH or (symbol is not None and self.allocates(loop, symbol))

    def allocates(self, loop: Loop, symbol: Symbol) -> bool:
        """Does the pointer reach memory that every iteration allocates for itself, and nothing else?"""
        if not symbol.is_single_allocation or symbol.storage != "local" or symbol.exposed:
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
        places = self._extreme_places(judgement, grouped)
        for symbol, references in grouped.items():
            if symbol is not loop.iterator and symbol not in places and any(r.write for r in references):
                self._scalar(judgement, symbol, references, flow)

    def _is_out_of_reach(
        self, judgement: Judgement, symbol: Symbol, references: list[Reference], flow: Flow
    ) -> bool:
        """Notes a variable that every iteration needs a copy of, where a callee or pointer means itself."""
        if self.is_inside(symbol, judgement.loop) or not any(r.write for r in references):
            return False
        if self._is_carried(judgement.loop, symbol, references, flow):
            return False  # no copy would do
        write = next(r for r in references if r.write)
        if symbol.storage == "static" and not judgement.loop.sees(symbol) and not write.inlining:
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

    def _extreme_places(self, judgement: Judgement, grouped: dict[Symbol, list[Reference]]) -> set[Symbol]:
        """Notes argmin and argmax: variables that are used by one such statement, and nowhere else."""
        together: dict[Update, list[Symbol]] = {}
        for symbol, references in grouped.items():
            updates = {r.update for r in references}
            update = updates.pop() if len(updates) == 1 else None
            if update is not None and update.is_place and not self.is_inside(symbol, judgement.loop):
                together.setdefault(update, []).append(symbol)
        changed = {judgement.loop.iterator, *(s for s, rs in grouped.items() if any(r.write for r in rs))}
        found = {
            u: symbols
            for u, symbols in together.items()
            if len(symbols) == u.variables and not changed.intersection(u.fixed)
        }
        for update, symbols in found.items():
            symbols.sort(key=lambda s: all(r.write for r in grouped[s]))  # the extreme itself is read too
            first = grouped[symbols[0]][0]
            judgement.reductions.append(
                Combined(update.operator, first.place, first.node, (), tuple(symbols[1:]), update.keeps)
            )
        return {symbol for symbols in found.values() for symbol in symbols}

    def _scalar(self, judgement: Judgement, symbol: Symbol, references: list[Reference], flow: Flow) -> None:
        loop = judgement.loop
        if self.is_inside(symbol, loop):
            return
        if symbol not in flow.exposed:
            self._privatise(judgement, symbol, references, flow)
            return
        operator = common_operator(references)
        if operator is not None:
            judgement.reductions.append(
                Combined(
                    operator, references[0].place, references[0].node, self._initially(loop, symbol, operator)
                )
            )
            return
        if symbol in loop.steps:
            judgement.linear.append(symbol)
            return
        self._carried_scalar(judgement, symbol, references, flow.exposed[symbol])

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

    def _initially(self, loop: Loop, symbol: Symbol, operator: str) -> tuple[str, ...]:
        """`&&` and `||` give 0 or 1: so must the variable be at the start."""
        if operator not in ("&&", "||") or symbol.ctype.text in ("_Bool", "bool"):
            return ()
        start = loop.entry.get(symbol)
        if isinstance(start, Affine) and start.is_constant and start.constant in (0, 1):
            return ()
        return (f"({symbol.name} == 0 || {symbol.name} == 1)",)

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
        message = self.wording.carried_scalar(symbol, write.node, read)
        judgement.findings.append(Finding("CV201", message, read, (write.node,), symbol))

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
        counts = reference.symbol is loop.iterator and reference.place.is_variable
        if counts or self.is_inside(reference.symbol, loop):
            return reference.place.base is not None and loop.number in reference.place.base.loops
        return not (reference.place.is_variable and reference.symbol.is_scalar) or is_shared(reference.symbol)

    def _pair(self, judgement: Judgement, first: list[Reference], second: list[Reference]) -> None:
        if not any(r.write for r in (*first, *second)):
            return
        loop = judgement.loop
        if first is second and relation(first[0].place, first[0].place, loop) is Relation.SAME:
            if not all(r.place.is_variable and r.symbol.is_scalar for r in first):
                self._same_object(judgement, first)
            return
        # Members of one structure have types of their own: what one cannot be, another may.
        pairs = ((a, b) for a in first for b in second if a.write or b.write)
        met = next((p for p in pairs if relation(p[0].place, p[1].place, loop) is not Relation.NONE), None)
        if met is not None:
            judgement.overlaps.append(met)

    def _same_object(self, judgement: Judgement, references: list[Reference]) -> None:
        found = list(self.dependences(judgement.loop, references))
        if not found:
            return
        parts = _connected(found)
        combined = [_combined(judgement.loop, part, references) for part in parts]
        judgement.reductions += [c for c in combined if c is not None]
        rest = [d for part, c in zip(parts, combined, strict=True) if c is None for d in part]
        if not rest:
            return
        private = None
        if len(rest) == len(found):
            private = self._privates.private_array(self._model, judgement.loop, references)
        if private is not None:
            judgement.arrays.append(private)
            return
        finding = self._explain(judgement.loop, rest[0])
        inner = inner_loops(judgement.loop)
        decidable = judgement.is_parallel and EXACT in self.tests
        condition = harmless(judgement.loop, inner, rest) if decidable else None
        judgement.provisos.append(Proviso(condition or TRUE, tuple(rest), finding))
        if condition is None:
            judgement.give_up(judgement.provisos)

    def dependences(self, loop: Loop, references: list[Reference]) -> Iterable[Dependence]:
        """Dependences that the loop carries between references to one object."""
        inner = inner_loops(loop)
        for a, b in combinations_with_replacement(references, 2):
            if a.write or b.write:
                pairs = [(a, b)] if a is b else [(a, b), (b, a)]
                yield from filter(None, (carried(loop, inner, x, y, self.tests) for x, y in pairs))

    def _explain(self, loop: Loop, dependence: Dependence) -> Finding:
        code = "CV203" if dependence.exact else "CV204"
        message = self.wording.carried(loop, dependence)
        source = dependence.source
        return Finding(code, message, source.node, (dependence.sink.node,), source.symbol)


def _connected(found: list[Dependence]) -> list[list[Dependence]]:
    """Dependences that have references in common stay together: members of a structure are apart."""
    parts: list[tuple[set[Reference], list[Dependence]]] = []
    for dependence in found:
        ends = {dependence.source, dependence.sink}
        touched = [part for part in parts if part[0] & ends]
        parts = [part for part in parts if not part[0] & ends]
        references = ends.union(*(part[0] for part in touched))
        parts.append((references, [*(d for part in touched for d in part[1]), dependence]))
    return [part[1] for part in parts]


def _combined(loop: Loop, found: list[Dependence], references: list[Reference]) -> Combined | None:
    """The reduction that explains all dependences: every reference in them updates one place.

    Other elements of the array may be used freely only where the loop does not move the place.
    """
    involved = list(dict.fromkeys(r for d in found for r in (d.source, d.sink)))
    operator = common_operator(involved)
    place = involved[0].place
    if operator is None or place.loose or len({r.place.path for r in involved}) != 1:
        return None
    if operator in ("&&", "||") and place.ctype.bits != 1:
        return None  # a partial result is 0 or 1, which nobody knows of the elements
    if any(r.inlining is not None for r in involved):
        return None  # what the callee updates has no name in the loop
    parts = (r for r in references if meeting(r.place.path, place.path) is not None)
    others = [r for r in parts if r not in involved]
    moves = bool(place.loops & inner_loops(loop))
    if others and (moves or any(_may_be_same(r, involved[0]) for r in others)):
        return None
    return Combined(operator, place, involved[0].node)


def _may_be_same(other: Reference, update: Reference) -> bool:
    """May both be one element in one iteration?  (Where `other` would not mean the partial result.)"""
    equations = meeting(other.place.path, update.place.path) or []
    if any((a - b).is_constant and (a - b).constant for a, b in equations):
        return False
    equal = tuple(Compare(a - b, equal=True) for a, b in equations)
    at_once = other.loops == update.loops  # so that counters and values are the same ones
    return not at_once or satisfiable((*other.conditions, *update.conditions, *equal))


def common_operator(references: list[Reference]) -> str | None:
    """The operator if all references belong to updates with the same one."""
    operators = {r.update.operator if r.update and not r.update.is_place else None for r in references}
    return operators.pop() if len(operators) == 1 else None


def is_overwritten(read: Reference, references: list[Reference]) -> bool:
    """Does the same iteration write the element, for certain, before it reads it?"""
    return not read.place.loose and any(
        w.write
        and w.order < read.order
        and w.place == read.place
        and read.loops[: len(w.loops)] == w.loops
        and read.block[: len(w.block)] == w.block
        for w in references
    )


def nested(loop: Loop) -> Iterator[Loop]:
    """The loops inside a loop, innermost first, and the loop itself."""
    for child in loop.children:
        yield from nested(child)
    yield loop


def inner_loops(loop: Loop) -> frozenset[int]:
    """The numbers of a loop and of all loops inside it."""
    return frozenset((loop.number,)).union(*(inner_loops(c) for c in loop.children))
