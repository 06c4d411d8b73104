"""Data flow of scalar variables: who reads an older value, who needs the last (see `code_flow`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from pycparser import c_ast

from species.dependence.flow.code_flow import CodeFlow
from species.dependence.flow.flows import NOTHING, Flow, meet, then
from species.dependence.flow.private_copies import sees_copy, starting_name
from species.loops.environment import is_shared
from species.loops.model import Loop, Reference
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol


class FlowAnalysis(CodeFlow):
    """What the code around a loop, and its iterations, need of variables."""

    @cached_property
    def _parents(self) -> dict[int, Any]:
        return {id(child): node for node in walk(self._model.node) for child in node}

    @cached_property
    def _rests(self) -> dict[int, dict[int, Flow]]:
        """What is known of the flow behind items, by their parents and themselves."""
        return {}

    def iteration(self, loop: Any) -> Flow:
        """One iteration of a loop; `must` is what every iteration writes, however it ends."""
        if isinstance(loop, c_ast.DoWhile):
            flow = self._repeated(loop.stmt, loop.cond)
        else:
            after = getattr(loop, "next", None)
            flow = then(self.of(loop.cond), self._repeated(loop.stmt, after, loop.cond))
        return Flow(flow.exposed, meet(meet(flow.must, flow.at_jumps), flow.at_returns))

    def sees_copy(self, reference: Reference) -> bool:
        """Would the reference use a private copy of its variable?"""
        return sees_copy(reference, self._symbols)

    def start_in(self, loop: Loop) -> Callable[[Reference], Symbol | None]:
        """Gives the variable by which the loop's own text gets to what a reference is to."""
        return lambda reference: starting_name(reference, self._symbols, loop)

    def live_after(self, loop: Any, symbol: Symbol) -> bool:
        """May the value that a variable has when the loop ends be read later?  One that is `static` in a
        function may be by the next call of it.
        """
        confined = not is_shared(symbol) or symbol.lent or symbol.is_static_local
        if not confined or not self._model.structured:
            return True
        node = loop
        while node is not self._model.node:
            parent = self._parents[id(node)]
            answer = self._live_in(parent, node, symbol)
            if answer is not None:
                return answer
            node = parent
        return symbol.is_static_local and symbol in self.of(node.body).exposed

    def _live_in(self, parent: Any, node: Any, symbol: Symbol) -> bool | None:
        """The answer that `parent`'s code after its child `node` gives; None: look further out."""
        if isinstance(parent, c_ast.For | c_ast.While | c_ast.DoWhile):
            again = self.iteration(parent)
            rest = self.sequence((getattr(parent, "next", None), parent.cond))
            return True if symbol in again.exposed or symbol in rest.exposed else None
        items = parent.block_items if isinstance(parent, c_ast.Compound) else getattr(parent, "stmts", None)
        if not items:
            return None
        rest = self._rest(parent, items, node)
        if symbol in rest.exposed:
            return True
        if isinstance(self._parents[id(parent)], c_ast.Switch):
            return None  # the other cases need not follow: a `break` goes past them
        certain = rest.must is not None and symbol in rest.must
        escapes = rest.at_jumps is not None and symbol not in rest.at_jumps
        return False if certain and not escapes else None

    def _rest(self, parent: Any, items: list[Any], node: Any) -> Flow:
        """The flow of what follows `node` among the items of its parent."""
        known = self._rests.get(id(parent))
        if known is None:
            labelled = any(isinstance(item, c_ast.Label) for item in items)
            known = self._rests[id(parent)] = {} if labelled else self._rests_of(items)
        if id(node) in known:
            return known[id(node)]
        here = _index(items, node)
        return self.sequence(items[here + 1 :], before=items[:here])

    def _rests_of(self, items: list[Any]) -> dict[int, Flow]:
        """The flow of what follows each item, by its id, from the last one backwards."""
        found, rest = {}, NOTHING
        for item in reversed(items):
            found[id(item)] = rest
            rest = then(self.of(item), rest)
        return found


def _index(items: list[Any], node: Any) -> int:
    return next(i for i, item in enumerate(items) if item is node)
