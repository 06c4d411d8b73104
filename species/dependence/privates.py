"""Arrays of which every iteration may have a copy of its own (theory.md section 4, privatisation)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from species.dependence.flow.coverage import Coverage
from species.dependence.flow.liveness import ArrayLiveness
from species.loops.model import FunctionModel, Loop, Reference
from species.loops.modified import is_object
from species.loops.shifted import place_of
from species.sets.affine import Affine, Atom
from species.sets.conditions import Compare, Condition, Fact, Unknown, leaves, rewritten
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol


@dataclass(frozen=True)
class PrivateArray:
    """An array, or a structure, that every iteration writes before it reads.

    `live` says that the content is needed after the loop; it is then that of the last iteration.
    """

    symbol: Symbol
    live: bool


class Privates:
    """Finds the private arrays of loops; the results of one file share the liveness of its arrays."""

    def __init__(self, liveness: ArrayLiveness) -> None:
        self._liveness = liveness

    def private_array(
        self, model: FunctionModel, loop: Loop, references: Sequence[Reference]
    ) -> PrivateArray | None:
        """The array that `references` name, all that there are to it in the loop, if it may be private.

        Of arrays, only what is read again is taken for a temporary, or what a function is given to write to:
        iterations that just overwrite each other's results depend on each other.  Of variables, the last
        one's result counts.
        """
        symbol = references[0].symbol
        is_read = symbol.ctype.kind == "struct" or not all(r.write for r in references)
        if not (is_read or all(r.inlining for r in references)) or not _is_eligible(references):
            return None
        if not self._liveness.all_see_copy(loop, references):
            return None
        if loop.hides(symbol):
            return None  # it is declared in the loop, once for all iterations
        if not Coverage(model).covered(loop, references):
            return None
        if not self._liveness.live_after(model, loop, symbol):
            return PrivateArray(symbol, live=False)
        if not is_read:
            return None
        loops = {known.number: known for known in model.loops}
        alike = all(is_written_alike(loop, r, loops) for r in references if r.write)
        return PrivateArray(symbol, live=True) if alike else None

    def all_named_inside(self, loop: Loop, references: Sequence[Reference]) -> bool:
        """Do all references stand in the text of the loop, not in a function that it calls?"""
        inside = set(map(id, walk(loop.node)))
        return all(id(r.node) in inside for r in references)


def _is_eligible(references: Sequence[Reference]) -> bool:
    """An object of its own, declared or allocated once, of which every part is named by its subscripts."""
    symbol = references[0].symbol
    declared = is_object(symbol) and symbol.ctype.kind != "union" and references[0].place.base is None
    allocated = symbol.is_single_allocation and symbol.storage == "local"
    if symbol.ctype.volatile or symbol.ctype.element.volatile:
        return False
    return (declared or allocated) and not any(r.place.loose for r in references)


def is_written_alike(loop: Loop, write: Reference, loops: dict[int, Loop]) -> bool:
    """Does every iteration execute the write, for the same elements?"""
    inside = write.loops[write.loops.index(loop.number) + 1 :]
    alike = dict(alike_in_all(loop, [loops[n] for n in inside]))
    if not all((loops[n].exact and loops[n].counted) or _counts_alike(loops[n], alike) for n in inside):
        return False

    def steady(expression: Affine) -> Affine:
        return expression.substitute(alike.get)

    own = {loop.bound, Compare(Affine.of(loop.counter))}
    added = write.conditions[len(loop.conditions) :]
    conditions = [c for c in added if c not in own and not isinstance(c, Fact)]  # facts hold anyway
    steps = [steady(step) for step in write.place.subscripts]
    moves = write.place.base is not None and loop.number in write.place.base.loops
    moves = moves or any(loop.number in step.loops for step in steps)
    conditions = [rewritten(condition, steady) for condition in conditions]
    return not (moves or any(_moves(c, loop) for c in conditions)) and not any(
        _is_opaque(step, loop, inside) for step in steps
    )


def alike_in_all(loop: Loop, inner: Iterable[Loop]) -> Iterator[tuple[Atom, Affine]]:
    """What headers inside multiply by powers of two, which is the same in all iterations of a loop."""
    for each in inner:
        only = not each.counted and not each.ends_early and all(o.code == "CV307" for o in each.obstacles)
        for multiplied in each.multiplied if only else ():
            (atom, *others) = multiplied.value.atoms()
            if not others and loop.number not in multiplied.start.loops:
                yield atom, Affine()


def _counts_alike(inner: Loop, alike: Mapping[Atom, Affine]) -> bool:
    """Does a loop inside make the same iterations every time, though its step is no constant?"""
    if inner.multiplied:
        return any(atom in alike for each in inner.multiplied for atom in each.value.atoms())
    is_own = inner.stride is not None and all(atom in alike for atom in inner.stride.atoms())
    return inner.strided and is_own and inner.counted


def _moves(condition: Condition, loop: Loop) -> bool:
    return any(
        isinstance(leaf, Unknown) or loop.number in leaf.expression.loops for leaf in leaves(condition)
    )


def _is_opaque(subscript: Affine, loop: Loop, inside: tuple[int, ...]) -> bool:
    """Is it not affine, or some value that the loops inside may change?  (Not what they find in a table.)"""
    moved = (a for a in subscript.atoms() if hasattr(a, "why") and a.loops & set(inside))
    return any(place_of(atom) is None or loop.number in atom.loops for atom in moved)
