"""Threads and vectors: which loops of a tree are shared by the threads of a team, and which are vectorised."""

from __future__ import annotations

from skeletons.transform.model import ScopModel
from skeletons.transform.tree import Band, Leaf, Sequence, Tree
from skeletons.transform.walk import Whole, places
from species.scops import ScopAccess, ScopStatement

THREADS = "threads"
VECTORS = "vectors"


def share(model: ScopModel, tree: Tree) -> Tree:
    """The tree with the outermost parallel loops marked "parallel"."""
    return _share(model, tree, lambda new: new)


def _share(model: ScopModel, part: Tree, whole: Whole) -> Tree:
    if isinstance(part, Band):
        if "apart" in part.marks or model.is_parallel(whole(part), part):
            return part.marked("parallel")
        return Band(
            part.name,
            part.of,
            _share(model, part.child, lambda new: whole(Band(part.name, part.of, new, part.marks))),
            part.marks,
        )
    if isinstance(part, Sequence):
        children = list(part.children)
        for k in range(len(children)):
            around = tuple(children)
            children[k] = _share(
                model,
                children[k],
                lambda new, k=k, around=around: whole(Sequence((*around[:k], new, *around[k + 1 :]))),  # type: ignore[misc]
            )
        return Sequence(tuple(children))
    return part


def vectorise(model: ScopModel, tree: Tree, *, reorder: bool) -> Tree:
    """The tree with innermost loops marked: "simd" where they are parallel; "accumulate" where all that an iteration
    needs of others is one cell which they all add to (only if sums may be reordered: `reorder`)."""
    while True:
        found = next(((p, w) for p, w in places(tree) if _is_open(p)), None)
        if found is None:
            return tree
        part, whole = found
        assert isinstance(part, Band)
        tree = whole(part.marked(_vector_mark(model, whole(part), part, reorder)))


def _is_open(part: Tree) -> bool:
    """Is it an innermost loop that has not been looked at?"""
    inner = part.child if isinstance(part, Band) else None
    leaves = inner.children if isinstance(inner, Sequence) else (inner,)
    is_innermost = all(isinstance(leaf, Leaf) for leaf in leaves)
    return isinstance(part, Band) and is_innermost and not part.marks & {"simd", "accumulate", "scalar", "apart"}


def _vector_mark(model: ScopModel, tree: Tree, loop: Band, reorder: bool) -> str:
    if model.is_parallel(tree, loop):
        return "simd"
    if reorder and isinstance(loop.child, Leaf) and "parallel" not in loop.marks:
        statement = model.statements[loop.child.statement]
        if _accumulates(statement, loop) and model.is_parallel(tree, loop, _others(model, statement)):
            return "accumulate"
    return "scalar"


def _accumulates(statement: ScopStatement, loop: Band) -> bool:
    """Does the statement only add to (or multiply) one cell, which stays the same in the loop?"""
    iterator = loop.of[statement.name].lstrip("-")
    if statement.operator not in ("+", "*") or iterator not in statement.iterators or statement.temporaries:
        return False
    position = statement.iterators.index(iterator)
    cell = next(a for a in statement.accesses if a.write)
    return all(move is not None and move[position] == 0 for move in cell.moves)


def _others(model: ScopModel, statement: ScopStatement):  # type: ignore[no-untyped-def]
    """All dependences but those of the cell that the statement updates with itself."""
    cell = next(a for a in statement.accesses if a.write)

    def counts(other: ScopStatement, access: ScopAccess) -> bool:
        return other.name != statement.name or (access.array, access.moves) != (cell.array, cell.moves)

    return model.dependences_of(counts)
