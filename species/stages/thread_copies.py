"""Variables with static storage of which threads may each have one: buffers and tallies that functions use.

    static double row[N]; static long hits;
    void one(int i) { fill(row, i); if (worst(row) > LIMIT) hits++; }
    for (i = 0; i < n; i++) one(i);

OpenMP's clauses give copies names in the text of the loop alone, so that `one` means the variable itself;
`threadprivate` is for all functions (array privatisation across calls: Tu and Padua 1993).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from species.dependence.exact.dependence_test import Dependence
from species.dependence.findings import Finding
from species.dependence.flow.coverage import Coverage
from species.dependence.flow.flows import Flow
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement, ThreadCopy
from species.dependence.reductions import common_operator
from species.loops.model import FunctionModel, Loop, Reference
from species.loops.modified import is_object
from species.stages.parts_of_loops import apart_in_any_parts
from species.symbols.mentions import Mentions
from species.symbols.symbols import PER_THREAD, Symbol

_MEMORY = ("CV201", "CV202", "CV203", "CV204", "CV207")  # reasons that speak of one variable


class CopyJudge(Judge):
    """Judges loops as if every thread had some variables of its own, with the values that it leaves in them.

    A parallel loop has all of these that it, or a function that it calls, names in `Judgement.copies`.
    """

    _own: frozenset[Symbol]
    _mentions: Mentions
    _parts: Mapping[str, str] | None

    def having(
        self, own: Collection[Symbol], mentions: Mentions, parts: Collection[tuple[str, str]] | None = None
    ) -> CopyJudge:
        """The same, where these variables are each thread's own.

        With `parts` (see `AnalysisOptions.parts_of_loops`), nothing is done after loops to what is in them:
        they are set by what runs behind loops over parts, before it reads them.
        """
        self._own, self._mentions = frozenset(own), mentions
        self._parts = dict(parts) if parts is not None else None
        return self

    def dependences(self, loop: Loop, references: list[Reference]) -> Iterable[Dependence]:
        inside = self._of_a_part(loop)
        for found in super().dependences(loop, references):
            if inside is None or not apart_in_any_parts(loop, inside, found, self.tests):
                yield found

    def _of_a_part(self, loop: Loop) -> Loop | None:
        """The loop over the iterations of a part, inside of one over parts."""
        name = (self._parts or {}).get(loop.iterator.name) if loop.iterator is not None else None
        named = ((each, each.iterator) for each in loop.children if each.counted)
        return next((each for each, own in named if name and own is not None and own.name == name), None)

    def judge(self, loop: Loop) -> Judgement:
        judgement = super().judge(loop)
        if not judgement.is_parallel:
            return judgement
        copied = {each.symbol: each for each in judgement.copies}
        used = {*copied, *(self._mentions.of(loop.node) & self._own)}
        for symbol in sorted(used, key=lambda each: each.name):
            why = self._refusal(loop, symbol, copied.get(symbol), judgement)
            if why:
                judgement.findings.append(Finding("CV304", why, loop.node, (), symbol))
        if not judgement.is_parallel:
            judgement.give_up()
        return judgement

    def uses_copies(self, loop: Loop) -> bool:
        return not self._own.isdisjoint(self._mentions.of(loop.node))

    def _refusal(self, loop: Loop, symbol: Symbol, copy: ThreadCopy | None, judgement: Judgement) -> str:
        overlapping = {r.symbol for pair in judgement.overlaps for r in pair}
        if copy is None or symbol in overlapping or (copy.operator and self._parts is not None):
            return PER_THREAD.format(name=symbol.name)
        if not copy.operator and self._is_live_after(loop, symbol):
            return f"'{symbol.name}' may be needed after the loop"
        if not _leads_inside(self._model, self, loop, symbol):
            return f"'{symbol.name}' is reached by pointers from outside of the loop"
        return ""

    def _is_live_after(self, loop: Loop, symbol: Symbol) -> bool:
        """May something behind the loop read what it left in the variable?  Not what only it executes."""
        if self._parts and loop.iterator is not None and loop.iterator.name in self._parts:
            return False
        places = self._mentions.all(symbol)
        return not all(self._mentions.is_only_in(loop.node, *place) for place in places)

    def _is_out_of_reach(
        self, judgement: Judgement, symbol: Symbol, references: list[Reference], flow: Flow
    ) -> bool:
        return symbol not in self._own and super()._is_out_of_reach(judgement, symbol, references, flow)

    def _scalar(self, judgement: Judgement, symbol: Symbol, references: list[Reference], flow: Flow) -> None:
        operator = common_operator(references)
        if symbol in self._own and symbol not in flow.exposed:
            judgement.copies.append(ThreadCopy(symbol))
        elif symbol in self._own and operator is not None:
            judgement.copies.append(ThreadCopy(symbol, operator))
        else:
            super()._scalar(judgement, symbol, references, flow)

    def _same_object(self, judgement: Judgement, references: list[Reference]) -> None:
        symbol = references[0].symbol
        copy = self._copy(judgement.loop, references) if symbol in self._own else None
        if copy is None:
            super()._same_object(judgement, references)
        elif copy not in judgement.copies:
            judgement.copies.append(copy)

    def _copy(self, loop: Loop, references: Sequence[Reference]) -> ThreadCopy | None:
        symbol = references[0].symbol
        if any(r.place.base is not None for r in references):
            return None
        if Coverage(self._model).covered(loop, references):
            return ThreadCopy(symbol)
        if symbol.ctype.kind == "struct":
            members = _tallies(references)
            return ThreadCopy(symbol, members[0][1], members) if members else None
        operator, element = common_operator(references), symbol.ctype.element
        whole = all(r.place.byte is None and r.place.ctype == element for r in references)
        alone = whole and element.is_number and operator not in (None, "&&", "||")
        return ThreadCopy(symbol, operator or "") if alone else None


def _tallies(references: Sequence[Reference]) -> tuple[tuple[str, str, str], ...]:
    """The members of a structure that references count in: see `ThreadCopy`; none where they do more."""
    found: dict[str, list[Reference]] = {}
    for reference in references:
        path = reference.place.path
        if not path or reference.place.byte is not None or not all(isinstance(step, str) for step in path):
            return ()
        found.setdefault(".".join(map(str, path)), []).append(reference)
    tallies = []
    for name, own in found.items():
        operator, types = common_operator(own), {r.place.ctype for r in own}
        ctype = types.pop()
        if operator in (None, "&&", "||") or types or not ctype.is_number or ctype.volatile:
            return ()
        tallies.append((name, operator or "", ctype.text))
    return tuple(tallies)


def candidates(judgement: Judgement) -> frozenset[Symbol]:
    """The variables that keep a loop from being parallel, where each thread might have its own of them."""
    symbols = {f.symbol for f in judgement.findings if f.code in _MEMORY}
    alone = all(f.code in _MEMORY and f.symbol is not None for f in judgement.findings)
    fit = alone and all(symbol is not None and _may_be_copied(symbol) for symbol in symbols)
    return frozenset(symbol for symbol in symbols if symbol is not None) if fit else frozenset()


def _may_be_copied(symbol: Symbol) -> bool:
    if not (symbol.is_scalar or is_object(symbol)) or symbol.peculiar or symbol.replaceable:
        return False
    volatile = symbol.ctype.volatile or symbol.ctype.element.volatile
    return symbol.storage == "static" and not volatile and symbol.origin is None


def _leads_inside(model: FunctionModel, judge: Judge, loop: Loop, symbol: Symbol) -> bool:
    """Do only variables of the iteration, and of functions that it calls, ever point to the variable?"""
    if symbol.storage == "static" and not (symbol.address_taken or symbol.exposed):
        return True
    return symbol.points_to is not None and bool(
        symbol.points_to.is_held_inside(symbol, model.name, lambda each: judge.is_inside(each, loop))
    )
