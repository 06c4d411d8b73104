"""Judges a loop: may its iterations run in any order, under which conditions, and why not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any

from species.dependence.aliases import Relation, relation
from species.dependence.exact import Dependence, carried
from species.dependence.flow import Flow, FlowAnalysis
from species.facts import LoopClass
from species.loops.affine import Affine
from species.loops.environment import is_shared
from species.loops.nest import Call, FunctionModel, Loop, Place, Reference
from species.loops.symbols import Symbol


@dataclass(frozen=True)
class Finding:
    """A reason before its positions are mapped: nodes stand for places."""

    code: str
    message: str
    node: Any
    related: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Combined:
    """A reduction: the variable or array element that every iteration combines with `operator`."""

    operator: str
    place: Place
    node: Any  # an lvalue that names it
    conditions: tuple[str, ...] = ()

    @property
    def is_scalar(self) -> bool:
        return self.place.is_variable


@dataclass
class Judgement:
    """All that is found out about one loop.  `overlaps` are pairs of objects that must be disjoint."""

    loop: Loop
    findings: list[Finding] = field(default_factory=list)
    dependences: list[Dependence] = field(default_factory=list)
    reductions: list[Combined] = field(default_factory=list)
    private: list[Symbol] = field(default_factory=list)
    lastprivate: list[Symbol] = field(default_factory=list)
    overlaps: list[tuple[Reference, Reference]] = field(default_factory=list)

    @property
    def is_parallel(self) -> bool:
        return not self.findings

    @property
    def loop_class(self) -> LoopClass:
        if self.loop.kind != "for":
            return LoopClass.WHILE
        if self.is_parallel:
            return LoopClass.DOALL
        if any(f.code.startswith("CV3") for f in self.findings):
            return LoopClass.DOSEQUENTIAL
        scalars = any(f.code in ("CV201", "CV202", "CV207") for f in self.findings)
        regular = self.dependences and all(d.distance is not None for d in self.dependences)
        return LoopClass.DOACROSS_REGULAR if regular and not scalars else LoopClass.DOACROSS_IRREGULAR


class Judge:
    """Judges the loops of one function."""

    def __init__(self, model: FunctionModel, flows: FlowAnalysis, name_of: Any) -> None:
        self._model, self._flows, self._text = model, flows, name_of
        self._inside: dict[int, list[Reference]] = {}
        for reference in model.references:
            for number in reference.loops:
                self._inside.setdefault(number, []).append(reference)

    def references(self, loop: Loop) -> list[Reference]:
        """Everything that is read or written inside the loop."""
        return self._inside.get(loop.number, [])

    def judge(self, loop: Loop) -> Judgement:
        judgement = Judgement(loop)
        if loop.kind != "for":
            judgement.findings.append(Finding("CV308", f"a '{loop.kind}' loop is not counted", loop.node))
        for obstacle in loop.obstacles:
            judgement.findings.append(Finding(obstacle.code, obstacle.message, obstacle.node))
        self._calls(judgement)
        if loop.counted:
            self._scalars(judgement)
            self._memory(judgement)
        return judgement

    def _calls(self, judgement: Judgement) -> None:
        for call in self._model.calls:
            if judgement.loop.number in call.loops:
                judgement.findings.append(Finding("CV305", _describe(call), call.node))

    # Scalars

    def _scalars(self, judgement: Judgement) -> None:
        loop = judgement.loop
        flow = self._flows.iteration(loop.node)
        grouped: dict[Symbol, list[Reference]] = {}
        for reference in self.references(loop):
            if reference.place.is_variable and reference.symbol.is_scalar:
                grouped.setdefault(reference.symbol, []).append(reference)
        for symbol, references in grouped.items():
            if symbol is not loop.iterator and any(r.write for r in references):
                self._scalar(judgement, symbol, references, flow)

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
        else:
            write = next(r for r in references if r.write)
            message = f"'{symbol.name}' is needed after the loop, and not every iteration writes it"
            judgement.findings.append(Finding("CV202", message, write.node))

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
        write = next(r for r in references if r.write)
        if any(r.update for r in references):
            other = next((r for r in references if not r.update), references[-1])
            message = f"'{symbol.name}' is accumulated, but also used otherwise, or with another operator"
            judgement.findings.append(Finding("CV207", message, other.node, (write.node,)))
            return
        message = f"'{symbol.name}' is read with the value that an earlier iteration wrote"
        judgement.findings.append(Finding("CV201", message, read, (write.node,)))

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
        if reference.symbol is loop.iterator or self.is_inside(reference.symbol, loop):
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
        combined = _combined(judgement.loop, found, references)
        if combined is not None:
            judgement.reductions.append(combined)
            return
        judgement.dependences += found
        judgement.findings.append(self._explain(judgement.loop, found[0]))

    def dependences(self, loop: Loop, references: list[Reference]) -> Iterable[Dependence]:
        """Dependences that the loop carries between references to one object."""
        inner = inner_loops(loop)
        for a, b in combinations_with_replacement(references, 2):
            if a.write or b.write:
                pairs = [(a, b)] if a is b else [(a, b), (b, a)]
                yield from filter(None, (carried(loop, inner, x, y) for x, y in pairs))

    def _explain(self, loop: Loop, dependence: Dependence) -> Finding:
        name = self._text(dependence.source.node)
        other = self._text(dependence.sink.node)
        iterator = loop.iterator.name if loop.iterator else "the loop"
        verbs = {"flow": ("written", "read"), "anti": ("read", "written"), "output": ("written", "written")}
        first, then = verbs[dependence.kind]
        if dependence.distance is not None:
            where = f"distance {dependence.distance} in {iterator}"
        else:
            where = f"at varying distances in {iterator}"
        code = "CV203" if dependence.exact else "CV204"
        may = "" if dependence.exact else "may be "
        message = f"'{name}' is {first}, and '{other}' {may}{then} by a later iteration ({where})"
        if not dependence.exact:
            message = f"'{name}' is {first}, and '{other}' may be the same element in a later iteration"
        return Finding(code, message, dependence.source.node, (dependence.sink.node,))


def _combined(loop: Loop, found: list[Dependence], references: list[Reference]) -> Combined | None:
    """The reduction that explains all dependences: every reference in them updates one place.

    Other elements of the array may be used freely only where the loop does not move the place.
    """
    involved = list(dict.fromkeys(r for d in found for r in (d.source, d.sink)))
    operator = common_operator(involved)
    place = involved[0].place
    if operator is None or place.loose or len({r.place.path for r in involved}) != 1:
        return None
    if place.loops & inner_loops(loop) and len(involved) != len(references):
        return None
    return Combined(operator, place, involved[0].node)


def common_operator(references: list[Reference]) -> str | None:
    """The operator if all references belong to updates with the same one."""
    operators = {r.update.operator if r.update else None for r in references}
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


def inner_loops(loop: Loop) -> frozenset[int]:
    """The numbers of a loop and of all loops inside it."""
    return frozenset((loop.number,)).union(*(inner_loops(c) for c in loop.children))


def _describe(call: Call) -> str:
    what = {
        "output": "writes output, in an order that would be lost",
        "input": "reads input, in an order that would be lost",
        "state": "depends on hidden state or on the order of calls",
        "exit": "ends the program or leaves the loop",
    }
    return f"'{call.name}' {what.get(call.effect, 'is called, and its effects are not known')}"
