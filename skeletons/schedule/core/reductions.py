"""Sums that may be computed in another order: which dependences are only those of a cell that is added to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

import islpy as isl

from skeletons.catalogue.passes import DETERMINISTIC, may_be_rounded
from skeletons.schedule.core.constants import constant
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.tree import Band, statements
from species.facts import ScopAccess, ScopStatement
from species.sets.isl_to_c import Expressions

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
    position = _position(statement, loop)
    return position is not None and all(move is not None and move[position] == 0 for move in access.moves)


def relaxed(model: ScopModel, updates: Iterable[str]) -> isl.UnionMap:
    """All dependences but those of the cells that some statements update, each with itself."""
    free = set(updates)

    def is_own(statement: ScopStatement, access: ScopAccess) -> bool:
        if statement.name not in free or not is_update(statement):
            return statement.name in free and access.array in dict(statement.sums)
        own = cell(statement)
        return (access.array, access.relation) == (own.array, own.relation)

    def is_other(statement: ScopStatement, access: ScopAccess) -> bool:
        return not is_own(statement, access)

    # What another statement does to such a cell, and other references do, still has to wait for it.
    mixed = model.dependences.subtract(_within(model, free))
    others = model.dependences_of(is_other).union(model.dependences_between(is_own, is_other))
    return mixed.union(others).coalesce()


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
        if is_update(statement) and cell(statement).array in model.ignored:
            continue
        if is_update(statement) and _moves_freely(statement, loop):
            found[cell(statement).array] = statement.operator or "+"
        if not is_update(statement):
            found |= free_sums(statement)
    if DETERMINISTIC in model.wanted and any(_is_rounded(model, array) for array in found):
        return None  # threads are combined as they come
    for array in found:
        users = [s for s in inside if any(a.array == array for a in s.accesses)]
        alike = all(_only_adds(s, array, found[array]) for s in users)
        if is_scalar(model, array) and alike:
            continue
        section = section_of(model, array, statements(loop))
        if not alike or section is None or (section.cells is not None and section.cells > MOST_CELLS):
            return None
        touched = model.written(array, statements(loop)).params()
        if section.part and not entered(model, loop).is_subset(touched):
            return None  # it need not be there where something else is done
    return found


def free_sums(statement: ScopStatement) -> dict[str, str]:
    """The variables that a statement combines with values beside what else it does, in ways whose order does
    not matter, with the operators.
    """
    return {array: operator for array, operator in statement.sums if operator in OPERATORS}


def variables_of_sums(model: ScopModel, loop: Band) -> frozenset[str]:
    """The variables that the statements of a loop only combine with values, each with one operator, and of
    which threads may have copies.
    """
    inside = [model.statements[name] for name in statements(loop)]
    found: dict[str, str] = {}
    for statement in inside:
        found |= free_sums(statement)
    users = {array: [s for s in inside if any(a.array == array for a in s.accesses)] for array in found}
    fixed = DETERMINISTIC in model.wanted
    return frozenset(
        array
        for array, operator in found.items()
        if all(free_sums(s).get(array) == operator for s in users[array])
        and not (fixed and _is_rounded(model, array))
    )


def _only_adds(statement: ScopStatement, array: str, operator: str) -> bool:
    """Is an array touched by a statement only to be combined with a value, in one cell?"""
    if not is_update(statement):
        return free_sums(statement).get(array) == operator
    own = cell(statement)
    alike = all(a.relation == own.relation for a in statement.accesses if a.array == array)
    return own.array == array and statement.operator == operator and alike


def keeps_sums(model: ScopModel) -> bool:
    """Are there sums in variables that no loop of the tree may share, but a skeleton may (in parts)?"""
    updates = [cell(s).array for s in model.statements.values() if is_update(s)]
    scalars = [array for array in updates if is_scalar(model, array)]
    scalars += [array for s in model.statements.values() for array in free_sums(s)]
    return DETERMINISTIC in model.wanted and any(_is_rounded(model, array) for array in scalars)


def _is_rounded(model: ScopModel, array: str) -> bool:
    return may_be_rounded(next(a.element for a in model.scop.arrays if a.name == array))


def _moves_freely(statement: ScopStatement, loop: Band) -> bool:
    """May different iterations of the loop update the same cell?"""
    position = _position(statement, loop)
    moves = cell(statement).moves
    return position is not None and all(move is None or move[position] == 0 for move in moves)


def _position(statement: ScopStatement, loop: Band) -> int | None:
    """Which of the statement's iterators the loop runs through."""
    iterator = loop.of[statement.name].lstrip("-")
    return statement.iterators.index(iterator) if iterator in statement.iterators else None


@dataclass(frozen=True)
class Section:
    """The part of an array that is written: `[low:length]`, or nothing for all of it; `cells` is its length
    where that is a number.
    """

    part: str
    length: str
    cells: int | None


def section_of(model: ScopModel, array: str, names: Iterable[str]) -> Section | None:
    """What some statements write of an array; None if no bounds are known, or no clause can name the part."""
    written = model.written(array, names)
    if next(a.is_member for a in model.scop.arrays if a.name == array):
        return None
    kind = isl.dim_type.set
    if written.is_empty() or written.dim(kind) != 1 or not written.dim_is_bounded(kind, 0):
        return _whole(model, array)
    low, high = written.dim_min(0), written.dim_max(0)
    length = high.sub(low).add(isl.PwAff("[] -> { [(1)] }").align_params(low.get_space()))
    texts = Expressions(dict(model.scop.parameters))
    build = isl.AstBuild.from_context(model.context)
    first, count = (texts.text(build.expr_from_pw_aff(value)) for value in (low, length))
    return Section(f"[{first}:{count}]", count, constant(length))


def entered(model: ScopModel, loop: Band) -> isl.Set:
    """For which values of the parameters anything in a loop is done.

    Only then there need be the cells that it adds to, of which OpenMP has copies in any case.
    """
    found = [model.domains.sets[name].params() for name in statements(loop)]
    result = found[0]
    for other in found[1:]:
        result = result.union(other)
    return result


def _whole(model: ScopModel, array: str) -> Section | None:
    """An array object of known size as a whole."""
    found = next(a for a in model.scop.arrays if a.name == array)
    if found.pointer or not found.extents or not all(e is not None and e.isdigit() for e in found.extents):
        return None
    cells = prod(int(extent) for extent in found.extents if extent is not None)
    return Section("", str(cells), cells)


def is_scalar(model: ScopModel, array: str) -> bool:
    """Is it a variable, and no array?"""
    return not next(a.extents for a in model.scop.arrays if a.name == array)
