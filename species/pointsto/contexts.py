"""Which copies of the functions of a file are told apart: by the calls that lead to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from species.pointsto.instructions import Code
from species.pointsto.solver import TooLarge

Context = tuple[tuple[str, int], ...]  # the calls on the way, outermost first: who calls, and where
Instance = tuple[str, Context]

MAX_INSTRUCTIONS = 20_000  # of all copies
DEPTHS = (None, 6, 4, 3, 2, 1, 0)  # calls that are told apart; None: all


class Contexts:
    """The call graph, unrolled (call strings, Sharir and Pnueli 1981): recursion goes on in the copy that it
    comes back to.
    """

    def __init__(self, codes: Mapping[str, Code], roots: Iterable[str], depth: int | None) -> None:
        """`roots`: the functions that code outside of the file may call; `depth`: how many calls count.

        Raises TooLarge.
        """
        self._codes, self.roots = codes, [*roots]  # with those that nothing calls
        found = self._unrolled(depth)
        if found is None:
            raise TooLarge
        self.instances: dict[Instance, dict[int, Instance]] = found

    def _unrolled(self, depth: int | None) -> dict[Instance, dict[int, Instance]] | None:
        """Every copy, with the copy that each of its calls goes to; None where they are too many."""
        found: dict[Instance, dict[int, Instance]] = {}
        size = 0
        roots = [*self.roots]
        for root in [*roots, *self._codes]:
            if root not in roots:
                if any(name == root for name, _ in found):
                    continue
                roots.append(root)
            pending: list[Instance] = [(root, ())]
            while pending:
                instance = pending.pop()
                if instance in found:
                    continue
                size += self._codes[instance[0]].size
                if size > MAX_INSTRUCTIONS:
                    return None
                found[instance] = self._calls(instance, depth)
                pending += found[instance].values()
        self.roots = roots
        return found

    def _calls(self, instance: Instance, depth: int | None) -> dict[int, Instance]:
        calls = [call for call in self._codes[instance[0]].calls if call.name in self._codes]
        return {call.site: self._callee(instance, call.name, call.site, depth) for call in calls}

    def _callee(self, caller: Instance, name: str, site: int, depth: int | None) -> Instance:
        function, path = caller
        around = [each for each, _ in path] + [function]
        if name in around:
            return name, path[: around.index(name)]
        path = (*path, (function, site))
        return name, path if depth is None else path[len(path) - min(depth, len(path)) :]
