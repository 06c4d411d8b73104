"""Sums that may be computed in another order: which dependences are only those of a cell that is added to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import islpy as isl

from skeletons.emit.expressions import Expressions
from skeletons.transform.constants import constant
from skeletons.transform.model import ScopModel
from skeletons.transform.tree import Band, statements
from species.scops import ScopAccess, ScopStatement

MOST_CELLS = 8192  # of which every thread may have copies on its stack: 64 KB of doubles
OPERATORS = ("+", "*", "min", "max", "&", "|", "^")


def cell(statement: ScopStatement) -> ScopAccess:
    """What a statement that combines one cell with a value writes."""
    return next(access for access in statement.accesses if access.write)


def is_update(statement: ScopStatement) -> bool:
    """Does it do nothing but combine one cell with a value, in a way whose order does not matter?"""
    return statement.operator in OPERATORS and not statement.temporaries


def stays(access: ScopAccess, statement: ScopStatement, loop: Band) -> bool:
    """Is it the same cell in all iterations of the loop?"""
    iterator = loop.of[statement.name].lstrip("-")
    if iterator not in statement.iterators:
        return False
    position = statement.iterators.index(iterator)
    return all(move is not None and move[position] == 0 for move in access.moves)


def relaxed(model: ScopModel, updates: Iterable[str]) -> isl.UnionMap:
    """All dependences but those of the cells that some statements update, each with itself."""
    free = set(updates)

    def counts(statement: ScopStatement, access: ScopAccess) -> bool:
        if statement.name not in free:
            return True
        own = cell(statement)
        return (access.array, access.relation) != (own.array, own.relation)

    # What another statement does to such a cell still has to wait for it.
    mixed = model.dependences.subtract(_within(model, free))
    return mixed.union(model.dependences_of(counts)).coalesce()


def _within(model: ScopModel, names: set[str]) -> isl.UnionMap:
    """All pairs of iterations of the same statement, for some statements."""
    result = isl.UnionMap("{ }")
    for name in names:
        one = isl.UnionSet.from_set(model.domains.sets[name])
        result = result.union(isl.UnionMap.from_domain_and_range(one, one))
    return result


def private_sums(model: ScopModel, loop: Band) -> dict[str, str] | None:
    """Arrays of which every thread needs its own, to be combined after the loop, with the operators.

    None where that is not possible: another access to the array, or an array that is large or of unknown
    size.
    """
    found: dict[str, str] = {}
    inside = [model.statements[name] for name in statements(loop)]
    for statement in inside:
        if is_update(statement) and _moves_freely(statement, loop):
            found[cell(statement).array] = statement.operator or "+"
    for array in found:
        users = [s for s in inside if any(a.array == array for a in s.accesses)]
        alike = all(is_update(s) and cell(s).array == array and s.operator == found[array] for s in users)
        alike = alike and all(
            a.relation == cell(s).relation for s in users for a in s.accesses if a.array == array
        )
        if is_scalar(model, array) and alike:
            continue
        section = section_of(model, array, statements(loop))
        if not alike or section is None or (section.cells is not None and section.cells > MOST_CELLS):
            return None
    return found


def _moves_freely(statement: ScopStatement, loop: Band) -> bool:
    """Do different iterations of the loop update the same cell?"""
    return stays(cell(statement), statement, loop)


@dataclass(frozen=True)
class Section:
    """The part of an array of one dimension that is written: C texts; `cells` where their number is one."""

    low: str
    length: str
    cells: int | None


def section_of(model: ScopModel, array: str, names: Iterable[str]) -> Section | None:
    """What some statements write of an array; None if it has several dimensions or no known bounds."""
    written = model.written(array, names)
    if (
        written.is_empty()
        or written.dim(isl.dim_type.set) != 1
        or not written.dim_is_bounded(isl.dim_type.set, 0)
    ):
        return None
    low, high = written.dim_min(0), written.dim_max(0)
    length = high.sub(low).add(isl.PwAff("[] -> { [(1)] }").align_params(low.get_space()))
    texts = Expressions(dict(model.scop.parameters))
    build = isl.AstBuild.from_context(model.context)
    first, count = (texts.text(build.expr_from_pw_aff(value)) for value in (low, length))
    return Section(first, count, constant(length))


def is_scalar(model: ScopModel, array: str) -> bool:
    """Is it a variable, and no array?"""
    return not next(a.extents for a in model.scop.arrays if a.name == array)
