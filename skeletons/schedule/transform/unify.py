"""Loops that do the same next to one another become one: `for (j < k) a[j] -= ...; for (j >= k) a[j] -= ...`.

Right-looking forms of decompositions have such loops, one for each triangle (Golub and Van Loan, Matrix
Computations, section 3.2): where rows of both are one row, vectors need not stop at the diagonal.
"""

from __future__ import annotations

from dataclasses import replace

import islpy as isl

from skeletons.schedule.core.model import ScopModel, around, parts_around
from skeletons.schedule.core.passes import Nest, NestPass, Same, Settings
from skeletons.schedule.core.tree import Band, Leaf, Sequence, Tree, bands, statements
from skeletons.schedule.core.walk import neighbours, places
from species.facts import ScopStatement

NAME = "unify"
Cell = tuple[str, bool, isl.Map]  # an array, whether it is written, and where, by the values of the loops


def apply(model: ScopModel, tree: Tree, same: Same) -> tuple[ScopModel, Tree]:
    """The tree with neighbouring innermost loops joined whose statements are the same, at different values of
    the loops; and a model in which they are one statement, which has the first one's name.

    `same(one, other, names)` says whether two statements read the same with these names for iterators of the
    other.  The joined loop is parallel: its vectors may hold iterations of both.
    """
    while (found := _found(model, tree, same)) is not None:
        model, tree = found
    return model, tree


def _found(model: ScopModel, tree: Tree, same: Same) -> tuple[ScopModel, Tree] | None:
    for part, whole in places(tree):
        for first, second, put in neighbours(part, whole):
            united = _united(model, tree, first, second, same)
            if united is None:
                continue
            name, gone = next(statements(first)), next(statements(second))
            joined = replace(first, of={name: first.of[name]}, marks=first.marks & second.marks)
            new = _without(put(joined), gone)
            loop = next(band for band in bands(new) if band == joined)
            if united.is_legal(new) and united.is_parallel(new, loop):
                return united, new
    return None


def _without(tree: Tree, name: str) -> Tree:
    """The tree whose loops do not speak of a statement that is not in it any more."""
    if isinstance(tree, Leaf):
        return tree
    if isinstance(tree, Band):
        of = {statement: value for statement, value in tree.of.items() if statement != name}
        return replace(tree, of=of, child=_without(tree.child, name))
    if isinstance(tree, Sequence):
        return Sequence(tuple(_without(child, name) for child in tree.children))
    where = {statement: text for statement, text in tree.where.items() if statement != name}
    return replace(tree, where=where, child=_without(tree.child, name))


def _united(model: ScopModel, tree: Tree, first: Band, second: Band, same: Same) -> ScopModel | None:
    """A model in which the second loop's statement is the first one's, if they do the same."""
    loops = around(tree, first)
    if not isinstance(first.child, Leaf) or not isinstance(second.child, Leaf) or loops is None:
        return None
    one, other = model.statements[first.child.statement], model.statements[second.child.statement]
    names = {b.of[other.name]: a.of[one.name] for a, b in zip((*loops, first), (*loops, second), strict=True)}
    if sorted(names) != sorted(other.iterators) or sorted(names.values()) != sorted(one.iterators):
        return None
    types, others = (
        {b.iterator: (b.ctype, b.bits) for b in model.loops_around(s.name)} for s in (one, other)
    )
    if any(others[name] != types[own] for name, own in names.items()):
        return None  # the same words compute in another way
    if parts_around(tree, first) or not (one.plain and other.plain) or not same(one, other, names):
        return None
    here, there = _places(model, one, (*loops, first)), _places(model, other, (*loops, second))
    sets = model.domains.sets[one.name].apply(here), model.domains.sets[other.name].apply(there)
    cells = _cells(one, here, sets[0])
    if not sets[0].intersect(sets[1]).is_empty() or not _are_equal(cells, _cells(other, there, sets[1])):
        return None
    back = here.reverse()
    accesses = tuple(
        replace(access, relation=str(cell[2].apply_domain(back)))
        for access, cell in zip(one.accesses, cells, strict=True)
    )
    domain = sets[0].union(sets[1]).coalesce().apply(back)
    united = replace(one, domain=str(domain), accesses=accesses)
    return model.united(united, other.name, there.apply_range(back))


def _places(model: ScopModel, statement: ScopStatement, loops: tuple[Band, ...]) -> isl.Map:
    """From a statement's iterations to the values of the loops around it."""
    values = ", ".join(loop.of[statement.name] for loop in loops)
    own = f"{model.domains.tuple_of(statement.name)} -> [{values}]"
    return isl.Map(f"{model.domains.parameters}{{ {own} }}")


def _cells(statement: ScopStatement, where: isl.Map, here: isl.Set) -> list[Cell]:
    relations = (isl.Map(a.relation).apply_domain(where).gist_domain(here) for a in statement.accesses)
    return [(a.array, a.write, relation) for a, relation in zip(statement.accesses, relations, strict=True)]


def _are_equal(cells: list[Cell], others: list[Cell]) -> bool:
    if len(cells) != len(others):
        return False
    return all(a[:2] == b[:2] and a[2].is_equal(b[2]) for a, b in zip(cells, others, strict=True))


def _with_one_loop(nest: Nest, settings: Settings) -> Nest:
    return Nest(*apply(nest.model, nest.tree, settings.same))


PASS = NestPass(
    NAME,
    "merge two adjacent innermost loops that do the same",
    apply=_with_one_loop,
    can_be_forced=True,
)
