"""Where the host code of a function asks for data that may be on the device."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from pycparser import c_ast

from species.core.positions import Position, Span
from species.facts.loops import Kernel, LoopFacts
from species.row_tests import without_number_tests
from species.source.syntax.tree import walk
from species.source.text.edits import Edit
from species.symbols.static_types import type_of
from species.symbols.symbols import Symbol
from transfers.plan.accesses import (
    ANY_READ,
    ANYTHING,
    LOOKING,
    MOVING,
    POINTERS,
    Touch,
    base_of,
    has_no_address,
)
from transfers.plan.conditions import condition_start
from transfers.plan.functions import LOOPS, Function
from transfers.plan.lifetimes import Endings
from transfers.plan.prefetch import Ahead, ahead, is_fixed
from transfers.plan.wording import NAME, Wording

_MEMORY = ("[", ".", "->", "*(", "(*")  # in a text: a value is read from memory
_UNREAD = re.compile(
    r"\((?:(?:un)?signed )?(?:char|short|int|long|long long)\)|\(unsigned\)|sizeof\(\*+(?:\w+|\([^()]*\))\)"
)


class Asking:
    """Walks the statements of one function in their order; `replaced` are the loops that have become
    kernels.  `running`: there may be data on the device from the beginning.
    """

    def __init__(
        self,
        endings: Endings,
        wording: Wording,
        function: Function,
        replaced: Mapping[Position, LoopFacts],
        *,
        running: bool = False,
    ) -> None:
        program = wording.program
        self._program, self._function, self._endings, self._wording = program, function, endings, wording
        self._unit, self.touches = program.unit, program.touches
        nodes = (n for n in walk(function.node.body) if isinstance(n, LOOPS))
        found = ((id(n), replaced.get(self._unit.loop_position(n))) for n in nodes)
        self._launches = {key: loop for key, loop in found if loop is not None}
        self._edits: list[Edit] = []
        self.ahead: list[Ahead] = []  # copies that begin early; `edits` finds them
        self._running = running or function.name in program.visited  # may there be anything on the device?

    def edits(self) -> list[Edit]:
        """The calls that ask, as edits of the file."""
        body = self._function.node.body
        if self._function.is_closed:
            return []  # its callers ask for all, and its launches give all back
        if not self.has_launch(body):
            if self._function.name in self._program.visited:
                self._ask_once(body.block_items or [])
            return self._edits
        self._statement(body, alone=False)
        self._leave(body)
        return self._edits

    @property
    def is_launching(self) -> bool:
        """Are there kernels that leave their data on the device?"""
        return not self._function.is_closed and self.has_launch(self._function.node.body)

    def has_launch(self, node: Any) -> bool:
        return any(self._is_launch(part) for part in walk(node))

    def _is_launch(self, node: Any) -> bool:
        if isinstance(node, c_ast.FuncCall):
            return self._program.leaves(self._program.names.effects.summaries.called(node))
        return id(node) in self._launches

    # Statements

    def _ask_once(self, items: list[Any]) -> None:
        """In a function that launches nothing: all that it touches, at once, before the first statement
        that does.
        """
        touched = [list(self.touches.of(item)) for item in items]
        first = next((k for k, found in enumerate(touched) if found), None)
        if first is None:
            return
        own = {s for item in items for s in self._declared(item)}
        listed = {_certain(t.coarse) for found in touched for t in found}
        lines = self._wording.lines(self._nameable(self._function.node.body, listed), own)
        whole = self._program.span(self._function.node.body)
        place = self._program.span(items[first])
        assert whole is not None
        jumps = self._function.name in self._program.names.resolution.labelled
        self._insert(place.start if place is not None and not jumps else whole.start + 1, lines)

    def _statement(self, node: Any, *, alone: bool) -> None:
        """`alone`: it is the body of another statement, without braces."""
        if id(node) in self._launches:
            self._ask(node, self._of_launch(node), alone)
            self._running = True
        elif node is not None and not self.has_launch(node):
            self._host(node, alone)
        else:
            self._around(node, alone)

    def _around(self, node: Any, alone: bool) -> None:
        """A statement with launches inside."""
        match node:
            case c_ast.Compound():
                self._block(node.block_items or [], alone=False)
            case c_ast.If():
                self._ask(node, self.touches.of(node.cond), alone)
                self._statement(node.iftrue, alone=True)
                self._statement(node.iffalse, alone=True)
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                self._ask(node, self.touches.of(node.init) if isinstance(node, c_ast.For) else (), alone)
                self._running = True
                self._ask_in_condition(node)
                self._statement(node.stmt, alone=True)
            case c_ast.Switch():
                self._ask(node, self.touches.of(node.cond), alone)
                self._statement(node.stmt, alone=True)
            case c_ast.Case() | c_ast.Default():
                self._block(node.stmts or [], alone=True)
            case c_ast.Label():
                self._statement(node.stmt, alone=True)
            case None:
                return
            case _:  # a call that is the whole statement
                self._ask(node, self.touches.of(node), alone)
                self._running = True

    def _block(self, items: list[Any], *, alone: bool) -> None:
        groups = list(self._declarations(items))
        for k, group in enumerate(groups):
            if len(group) > 1:
                self._ask(c_ast.DeclList(group, group[0].coord), self._touches_of(group), alone=False)
            else:
                self._statement(
                    group[0], alone=alone and not isinstance(group[0], c_ast.Decl | c_ast.Typedef)
                )
            if k > 0 and not alone and self.has_launch(groups[k - 1][0]):
                self._begin_copies(groups[k:])

    def _begin_copies(self, groups: list[list[Any]]) -> None:
        """For what host code behind a launch reads later."""
        span = self._program.span(groups[0][0])
        found = [(one, call) for one in ahead(self, groups) if (call := self._wording.copyout(one.touch))]
        if found and span is not None:
            self.ahead += (one for one, _ in found)
            self._insert(span.start, list(dict.fromkeys(call for _, call in found)))

    def _declarations(self, items: list[Any]) -> Iterator[list[Any]]:
        """The statements of a block; the declarators of one declaration together."""

        def place(item: Any) -> object:
            span = self._program.span(item) if isinstance(item, c_ast.Decl) else None
            return span or id(item)

        for _, group in groupby(items, place):
            yield list(group)

    def _touches_of(self, items: list[Any]) -> Iterator[Touch]:
        for item in items:
            yield from self.touches.of(item)

    def _host(self, node: Any, alone: bool) -> None:
        if isinstance(node, c_ast.Return):
            self._ask(node, self.touches.of(node), alone, self._parting(node))
        elif self._can_enter(node):
            self._around(node, alone)
        else:
            self._ask_before(node, alone)

    def _can_enter(self, node: Any) -> bool:
        """Is it better to ask in front of the statements inside, each of which has a place?"""
        match node:
            case c_ast.Compound():
                inner = node.block_items or []
            case c_ast.Case() | c_ast.Default():
                return True
            case c_ast.If():
                inner = [branch for branch in (node.iftrue, node.iffalse) if branch is not None]
            case _:
                return False
        return all(self._program.span(item) is not None for item in inner)

    def _ask_before(self, node: Any, alone: bool) -> None:
        touched = set(self.touches.of(node))
        for inner, is_alone in _returns(node, alone):
            if self._program.span(inner) is not None:
                self._ask(inner, (), is_alone, self._parting(inner))
            elif self._running:
                touched.add(ANYTHING)  # a macro returns
        self._ask(node, touched, alone)

    def _of_launch(self, node: Any) -> Iterator[Touch]:
        """What a launch reads and writes on the host: bounds, scalars, and what its condition looks at."""
        kernel = self._launches[id(node)].kernel
        assert kernel is not None
        inner = node
        for _ in kernel.loops:
            for part in (inner.init, inner.cond, inner.next) if isinstance(inner, c_ast.For) else ():
                yield from self.touches.of(part)
            inner = next((n for n in walk(getattr(inner, "stmt", None)) if isinstance(n, LOOPS)), None)
        roles = {scalar.name: scalar.role for scalar in kernel.scalars}
        for symbol in self._named(node):
            role = roles.get(symbol.name)
            exposed = symbol.address_taken or symbol.storage == "global"
            if role is not None and exposed and self._program.shares(symbol.ctype):
                yield Touch(symbol, role in ("lastprivate", "reduction"))
        symbols = {symbol.name: symbol for symbol in self._named(node)}
        texts, tested = without_number_tests(" ".join(_texts(kernel)), symbols)
        yield from (self.touches.through(symbols[name], False) for name in tested)
        texts = _UNREAD.sub("", texts)
        looks = any(sign in texts for sign in _MEMORY) or self._program.exposed & set(NAME.findall(texts))
        if looks or (kernel.tables and self._program.shares(POINTERS.ctype)):
            yield ANY_READ

    def _named(self, node: Any) -> set[Symbol]:
        symbols = self._program.names.resolution.symbols
        return {s for n in walk(node) if isinstance(n, c_ast.ID) and (s := symbols.get(id(n))) is not None}

    # Leaving the function

    @property
    def _leaves_nothing(self) -> bool:
        return not self._program.leaves(self._function.name)

    def _leave(self, body: c_ast.Compound) -> None:
        """At the end of the body, if it is reached."""
        items = body.block_items or []
        span = self._program.span(body)
        if (items and isinstance(items[-1], c_ast.Return)) or span is None:
            return
        lines = self._parting(body)
        if lines and self._running:
            text = self._unit.source.text
            place = text.rfind("\n", 0, span.end) + 1
            last = self._program.span(items[-1]) if items else None
            indent = _indent(text, last.start) if last is not None else ""
            if text[place : span.end - 1].strip():
                self._edits.append(Edit(Span(span.end - 1, span.end - 1), " ".join(lines) + " "))
            else:
                self._edits.append(Edit(Span(place, place), "".join(f"{indent}{line}\n" for line in lines)))

    def _parting(self, node: Any) -> list[str]:
        """What is dropped, or taken back, before the function returns at a statement, or at the end of its
        body.
        """
        if isinstance(node, c_ast.Return) and self._calls_own(node):
            return [self._wording.takes_all]  # they may look at what goes away
        span = self._program.span(node)
        end = span.end if span is not None and node is self._function.node.body else span.start if span else 0
        ending = list(self._endings.of(self._function, end))
        if any(self._is_hidden(symbol) for symbol, _ in ending):
            return [self._wording.takes_all]
        drops = [Touch(s, True, through=t, ends=True) for s, t in ending]
        lines = self._wording.lines(drops, set())
        return [*lines, self._wording.takes_all] if self._leaves_nothing else lines

    def _is_hidden(self, symbol: Symbol) -> bool:
        """May the name mean another variable somewhere in the function?"""
        symbols = self._program.names.resolution.symbols
        kinds = (c_ast.Decl, c_ast.Typedef, c_ast.Enumerator)
        named = (n for n in walk(self._function.node) if isinstance(n, kinds) and n.name == symbol.name)
        return any(symbols.get(id(node)) is not symbol for node in named)

    def _calls_own(self, node: Any) -> bool:
        called = self._program.names.effects.summaries.called
        return any(isinstance(part, c_ast.FuncCall) and called(part) is not None for part in walk(node))

    # Text

    def _ask(self, node: Any, touched: Iterable[Touch], alone: bool, parting: Iterable[str] = ()) -> None:
        if not self._running:
            return
        listed = self.sorted_out(node, touched)
        lines = [
            *self._wording.lines(listed, set(self._declared(node)), self._overwritten(node, listed)),
            *parting,
        ]
        first = node.decls[0] if isinstance(node, c_ast.DeclList) else node
        span = self._program.span(first)
        if not lines:
            return
        assert span is not None  # functions with such statements are closed
        if alone:
            start = self._before_pragmas(span.start)
            begin = "{ " + " ".join(lines) + (" " if start == span.start else "\n")
            begin = begin if start == span.start else _indent(self._unit.source.text, span.start) + begin
            self._edits.append(Edit(Span(start, start), begin))
            self._edits.append(Edit(Span(span.end, span.end), " }"))
        else:
            self._insert(span.start, lines)

    def _ask_in_condition(self, loop: Any) -> None:
        """Before every look at the condition of a loop: by calls in front of it, with commas."""
        touched = [_certain(t) for t in self.touches.of(loop.cond)] if loop.cond is not None else []
        lines = self._wording.lines(self._nameable(loop.cond, touched), set()) if touched else []
        start = condition_start(self._unit, loop) if lines else None
        if start is not None:
            blank = "" if self._unit.source.text[start].isspace() else " "
            calls = ", ".join(line.rstrip(";") for line in lines)
            before = "" if self._unit.source.text[start - 1] == "(" else " "
            self._edits.append(Edit(Span(start, start), f"{before}{calls},{blank}"))

    def sorted_out(self, node: Any, touched: Iterable[Touch]) -> list[Touch]:
        """The touches, with their places only where these are the same before the statement as in it."""
        found = list(dict.fromkeys(touched))
        if not isinstance(node, c_ast.FuncCall):
            found = [_certain(t) for t in found]
        found = self._nameable(node, found)
        if (isinstance(node, LOOPS) and id(node) not in self._launches) or isinstance(node, c_ast.Switch):
            return list(dict.fromkeys(t.coarse for t in found))
        changed, calls = self.changed(node)
        return list(dict.fromkeys(t if is_fixed(t, changed, calls) else t.coarse for t in found))

    def _nameable(self, node: Any, touched: Iterable[Touch]) -> list[Touch]:
        """Anything in place of variables that are declared inside, and live longer."""
        symbols = self._program.names.resolution.symbols
        found = (symbols.get(id(part)) for part in walk(node) if isinstance(part, c_ast.Decl))
        inner = {s.name for s in found if s is not None and s.storage != "local"}
        return [
            Touch(None, t.writes) if t.symbol is not None and t.symbol.name in inner else t for t in touched
        ]

    def _overwritten(self, node: Any, touched: list[Touch]) -> Touch | None:
        """The element whose value a statement does not look at before it writes it."""
        if not isinstance(node, c_ast.Assignment) or node.op != "=" or self.changed(node)[1]:
            return None
        if any(isinstance(part, c_ast.Compound) for part in walk(node)):
            return None  # a statement in there may leave before
        target = next((t for t in self.touches.of(node.lvalue, writes=True) if t.place and t.writes), None)
        read = target is None or any(t.place == target.place and not t.writes for t in touched)
        return target if not read and target in touched else None

    def changed(self, node: Any) -> tuple[set[Symbol], bool]:
        """The variables that a statement changes or declares, and whether functions that it calls may
        change more.
        """
        names = self._program.names
        symbols = names.resolution.symbols
        targets = [part.lvalue for part in walk(node) if isinstance(part, c_ast.Assignment)]
        targets += [p.expr for p in walk(node) if isinstance(p, c_ast.UnaryOp) and p.op in MOVING]
        assigned = ((target, base_of(names, target)) for target in targets)
        changed = {s for t, s in assigned if s is not None and (isinstance(t, c_ast.ID) or has_no_address(s))}
        changed |= {
            s for p in walk(node) if isinstance(p, c_ast.Decl) and (s := symbols.get(id(p))) is not None
        }
        kinds = {type_of(t, symbols, names.types).kind for t in targets if not isinstance(t, c_ast.ID)}
        changed |= {s for s in self._program.reachable if s.ctype.kind in kinds or "unknown" in kinds}
        kinds |= {s.ctype.kind for s in changed if s.address_taken}
        changed |= {POINTERS} if kinds & {"pointer", "struct", "union", "unknown"} else set()
        calls = [part for part in walk(node) if isinstance(part, c_ast.FuncCall)]
        return changed, not all(self._only_looks(call) for call in calls)

    def _only_looks(self, call: c_ast.FuncCall) -> bool:
        effects = self._program.names.effects
        effect = effects.of(call)
        known = effects.summaries.called(call) is None and effect.kind in LOOKING
        return known and not effect.writes and effect.calls is None

    def _insert(self, at: int, lines: list[str]) -> None:
        text, start = self._unit.source.text, self._before_pragmas(at)
        indent = _indent(text, at)
        if start != at:
            added = "".join(f"{indent}{line}\n" for line in lines)
        else:
            between = "\n" + indent if text.endswith("\n" + indent, 0, at) else " "
            added = "".join(line + between for line in lines)
        self._edits.append(Edit(Span(start, start), added))

    def _before_pragmas(self, at: int) -> int:
        """The place before the directives that speak of the statement at a place."""
        return self._program.pragmas.place(at).start

    def _declared(self, node: Any) -> Iterator[Symbol]:
        symbols = self._program.names.resolution.symbols
        for part in walk(node):
            symbol = symbols.get(id(part)) if isinstance(part, c_ast.Decl) else None
            if symbol is not None and symbol.storage == "local":
                yield symbol


def _certain(touch: Touch) -> Touch:
    """Anything in place of memory that may be freed, or not, or not at once."""
    return ANYTHING if touch.ends else touch


def _returns(node: Any, alone: bool) -> Iterator[tuple[c_ast.Return, bool]]:
    """The return statements in a statement, and whether each is alone."""
    for child in node:
        inside = not isinstance(node, c_ast.Compound | c_ast.Case | c_ast.Default)
        if isinstance(child, c_ast.Return):
            yield child, inside
        else:
            yield from _returns(child, inside)


def _texts(kernel: Kernel) -> Iterator[str]:
    """What the host computes for a launch, besides the loops' headers."""
    yield from kernel.conditions
    for array in kernel.arrays:
        yield from (text for text in array.extent if text)
        for region in (array.reads or (), array.writes or ()):
            yield from (text for bound in region for text in (bound.low, bound.high))


def _indent(text: str, at: int) -> str:
    """The blanks that the line of a place begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]
