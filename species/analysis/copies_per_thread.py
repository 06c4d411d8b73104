"""Loops that threads could share if each had its own of some variables with static storage."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

from pycparser import c_ast

from species.analysis.options import AnalysisOptions
from species.core.budget import GaveUp, spending
from species.core.positions import Span
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement, ThreadCopy
from species.facts.loop_forms import OwnCopies, OwnCopy
from species.loops.model import FunctionModel, Loop
from species.loops.walk import FileModel
from species.sets.affine import Affine
from species.source import TranslationUnit
from species.source.text.tokens import words_in
from species.stages.plain_headers import counts_to_bound
from species.stages.thread_copies import CopyJudge, candidates
from species.symbols.mentions import Mentions
from species.symbols.symbols import Symbol

_STARTING = frozenset(("pthread_create", "thrd_create", "clone", "signal", "sigaction", "timer_create"))


class CopiesPerThread:
    """Answers for the functions of one file."""

    def __init__(self, unit: TranslationUnit, file: FileModel, options: AnalysisOptions) -> None:
        self._unit, self._file, self._options = unit, file, options
        self._mentions = Mentions(file.resolution, file.effects)
        self._lasting: dict[str, set[Symbol]] = {}
        for symbol in file.resolution.symbols.values():
            if symbol.outlives_function and symbol.ctype.kind != "function":
                self._lasting.setdefault(symbol.name, set()).add(symbol)

    @cached_property
    def _has_one_thread(self) -> bool:
        """Does the program start no threads of its own, which would count in variables of theirs?"""
        points_to = self._file.effects.points_to
        known = points_to is not None and points_to.is_whole_program
        return known and _STARTING.isdisjoint(self._unit.words)

    def judge(self, *parts: Any) -> Judge:
        """A judge of the loops of a function, made of `parts`, which knows what threads have of their own."""
        if not self._options.per_thread:
            return Judge(*parts)
        own = {s for name in self._options.per_thread for s in self._lasting.get(name, ())}
        return CopyJudge(*parts).having(own, self._mentions, self._options.parts_of_loops)

    def are_in(self, span: Span) -> bool:
        """Does a part of the file name a variable that each thread has of its own?"""
        own = self._options.per_thread
        return bool(own) and not own.isdisjoint(words_in(span.of(self._unit.source.text)))

    def wanted(self, model: FunctionModel, judgement: Judgement, *parts: Any) -> OwnCopies | None:
        """What threads need copies of so that a loop, which is serial now, would be parallel."""
        ours = bool(self._options.per_thread) or "omp" in self._unit.words  # or the user's own directives
        own = candidates(judgement) if not ours else ()
        if not own:
            return None
        loop = judgement.loop
        trial = Judgement(loop)
        with suppress(GaveUp), spending((id(loop.node), "copies")):
            trial = CopyJudge(*parts).having(own, self._mentions).judge(loop)
        copies = [self._copy(model, each.symbol, each.operator) for each in trial.copies]
        known = tuple(each for each in copies if each is not None)
        if not known or not trial.is_parallel or len(known) < len(copies):
            return None
        pairs = tuple(zip(trial.copies, known, strict=True))
        tallies = [(each.symbol, own.declared) for each, own in pairs if own.operator]
        known = tuple(part for each, own in pairs for part in _members(each, own))
        if loop.iterator is None or (tallies and not self._has_one_thread):
            return None
        if tallies and not counts_to_bound(model, loop, self._file.resolution, self._file.types):
            return None
        if not all(self._is_seen(loop, *each) for each in tallies):
            return None
        functions = self._mentions.functions(loop.node)
        return OwnCopies(known, functions, loop.iterator.name, loop.iterator.ctype.text, loop.declared_inside)

    def _copy(self, model: FunctionModel, symbol: Symbol, operator: str) -> OwnCopy | None:
        """None: no directive can stand behind its declaration, or it is unknown how large it is."""
        node = symbol.node
        span = self._unit.statement_span(node) if node is not None and node.coord is not None else None
        if span is None or self._unit.position(node.coord).file != self._unit.source.path:
            return None
        if len(self._lasting[symbol.name]) > 1 or "extern" in (node.storage or ()):
            return None
        declared = sum(
            isinstance(each, c_ast.Decl) and each.name == symbol.name for each in self._unit.ast.ext
        )
        if declared > 1 or not all(self._is_behind(span.end, each) for _, each in self._mentions.all(symbol)):
            return None
        shape = _shape(model, symbol)
        if operator and shape is None:
            return None
        return OwnCopy(symbol.name, span.end, operator, symbol.ctype.element.text, shape or ())

    def _is_seen(self, loop: Loop, symbol: Symbol, declared: int) -> bool:
        """Does the name of a variable of the file mean it at the loop?"""
        local = self._file.resolution.visible.get(id(loop.node), {})
        return symbol.scope is None and symbol.name not in local and self._is_behind(declared, loop.node)

    def _is_behind(self, place: int, node: c_ast.Node) -> bool:
        """Does a name stand behind a place in the file?"""
        position = self._unit.position(node.coord)
        source = self._unit.source
        return position.file == source.path and source.position(place) < position


def _members(copy: ThreadCopy, own: OwnCopy) -> Iterator[OwnCopy]:
    """The copy of a variable; of a structure, the members that are combined."""
    if not copy.members:
        yield own
    for name, operator, ctype in copy.members:
        yield replace(own, member=name, operator=operator, element=ctype)


def _shape(model: FunctionModel, symbol: Symbol) -> tuple[int, ...] | None:
    """The lengths of the array's dimensions, as numbers."""
    if symbol.ctype.kind != "array":
        return ()
    sizes: Collection[Affine | None] = model.extents.get(symbol, ())
    numbers = [size.constant for size in sizes if size is not None and size.is_constant]
    return tuple(numbers) if numbers and len(numbers) == len(sizes) else None
