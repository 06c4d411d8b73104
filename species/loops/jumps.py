"""The jumps of a function: which `goto`s only skip code forwards, and what each of them leaves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pycparser import c_ast

from species.loops.model import Inlining

_JUMPS = (c_ast.Goto, c_ast.Continue, c_ast.Break, c_ast.Return)
_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)


@dataclass
class _Place:
    """Where a node stands: its number in the order of the text, and the nodes around it, outermost first."""

    node: Any
    number: int
    around: tuple[Any, ...]


@dataclass
class Jumps:
    """The labels of one function and the jumps in it.

    A `goto` is *forward* if its label comes later and the block of the label holds the `goto` as well: it
    then only leaves statements and skips others, as `continue` does.
    """

    _labels: dict[str, _Place] = field(default_factory=dict)
    _gotos: dict[str, list[_Place]] = field(default_factory=dict)
    _inside: dict[int, list[Any]] = field(default_factory=dict)  # id of a node -> the jumps in it

    @staticmethod
    def of(function: c_ast.FuncDef | Inlining) -> Jumps:
        jumps = Jumps()
        jumps._collect(function.body, (), [0])
        return jumps

    def _collect(self, node: Any, around: tuple[Any, ...], counter: list[int]) -> None:
        counter[0] += 1
        if isinstance(node, c_ast.Label):
            self._labels[node.name] = _Place(node, counter[0], around)
        elif isinstance(node, c_ast.Goto):
            self._gotos.setdefault(node.name, []).append(_Place(node, counter[0], around))
        for child in node:
            self._collect(child, (*around, node), counter)

    def inside(self, node: Any) -> list[Any]:
        """All jumps in a statement."""
        if id(node) not in self._inside:
            below = [jump for child in node for jump in self.inside(child)]
            self._inside[id(node)] = [node, *below] if isinstance(node, _JUMPS) else below
        return self._inside[id(node)]

    def target(self, goto: c_ast.Goto) -> c_ast.Label | None:
        """The label of a forward `goto`; None for any other."""
        label = self._labels.get(goto.name)
        place = next((p for p in self._gotos.get(goto.name, []) if p.node is goto), None)
        return label.node if label and place and _is_forward(place, label) else None

    def is_tame(self, label: c_ast.Label) -> bool:
        """Is the label reached by forward jumps only, if by any?"""
        place = self._labels.get(label.name)
        gotos = self._gotos.get(label.name, [])
        return place is not None and place.node is label and all(_is_forward(g, place) for g in gotos)

    def are_tame(self) -> bool:
        """Are there only forward jumps in the function?"""
        known = all(name in self._labels for name in self._gotos)
        return known and all(self.is_tame(place.node) for place in self._labels.values())

    def sources(self, label: c_ast.Label) -> list[Any]:
        """All `goto`s to the label."""
        return [place.node for place in self._gotos.get(label.name, [])]

    def holds(self, node: Any, label: c_ast.Label) -> bool:
        """Does the label stand inside of the node?"""
        return any(outer is node for outer in self._labels[label.name].around)

    def may_end_early(self, loop: Any) -> bool:
        """Does a jump leave the loop, or enter it?"""
        if any(not self._stays(loop, jump) for jump in self.inside(loop)):
            return True
        wild = (p for p in self._labels.values() if not self.is_tame(p.node))
        return any(any(o is loop for o in p.around) for p in wild) or _breaks(loop.stmt)

    def _stays(self, loop: Any, jump: Any) -> bool:
        if not isinstance(jump, c_ast.Goto):
            return not isinstance(jump, c_ast.Return)
        label = self.target(jump)
        return label is not None and self.holds(loop, label)


def _is_forward(goto: _Place, label: _Place) -> bool:
    if not label.around or label.number <= goto.number:
        return False
    block = label.around[-1]
    return isinstance(block, c_ast.Compound) and any(outer is block for outer in goto.around)


def _breaks(node: Any) -> bool:
    """Does a `break` in the statement belong to the loop around it?"""
    if isinstance(node, c_ast.Break):
        return True
    if isinstance(node, (*_LOOPS, c_ast.Switch)):
        return False
    return any(_breaks(child) for child in node)


def only_to(label: c_ast.Label, jumps: Iterable[Any]) -> bool:
    """Do all of the jumps go to the label?"""
    return all(isinstance(j, c_ast.Goto) and j.name == label.name for j in jumps)
