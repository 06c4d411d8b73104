"""Row-per-thread kernels: matrices are transposed first, so that neighbouring threads touch neighbours.

Thread i reads `A[i][0]`, `A[i][1]`, ...: at any moment, cells a row apart from its neighbour's.  In the
transposed matrix, `A_turned[(j - low) * rows + (i - low)]`, they are next to each other.  A matrix that the
kernel writes to is transposed back; cells that it does not write keep what they had.
"""

from __future__ import annotations

from skeletons.body.halo_tiles import offset
from skeletons.kernel.array_views import BYTES, TurnView
from skeletons.kernel.context import Subject
from species.facts.loops import KernelArray
from species.grammar.nodes import Range
from species.sets.isl_to_c import MAXIMUM, MINIMUM
from species.source.text.code import Access, accesses, names_in, parenthesised
from species.source.text.edits import Edit, apply_edits


def turned_arrays(subject: Subject) -> tuple[str, ...]:
    """The matrices of which every thread touches a row, or part of one."""
    if len(subject.kernel.loops) != 1:
        return ()
    return tuple(array.name for array in subject.kernel.arrays if _is_turned(subject, array))


def _is_turned(subject: Subject, array: KernelArray) -> bool:
    iterator = subject.kernel.loops[0].iterator
    if not box(array) or len(array.extent) != 2:
        return False
    if subject.declarations.canonical(array.element) not in BYTES:
        return False
    if array.name in subject.macro_names(subject.body) or {array.name, iterator} & subject.redeclared:
        return False
    if any(array.name in names_in(f"{loop.lower} {loop.condition}") for loop in subject.kernel.loops):
        return False
    uses = accesses(subject.body, array.name)
    return bool(uses) and all(_is_row(use, iterator, array.name) for use in uses)


def box(array: KernelArray) -> tuple[Range, ...]:
    """The bounds of all that is touched of an array; empty where they are not known."""
    if array.reads is None or array.writes is None:
        return array.reads or array.writes or ()
    if not array.reads or not array.writes:
        return ()
    return tuple(
        Range(_either(MINIMUM, read.low, written.low), _either(MAXIMUM, read.high, written.high))
        for read, written in zip(array.reads, array.writes, strict=True)
    )


def _either(extreme: str, one: str, other: str) -> str:
    return one if one == other else f"{extreme}({one}, {other})"


def _is_row(use: Access, iterator: str, name: str) -> bool:
    """`A[i][e]`, where neither the iterator nor the matrix is in `e`."""
    if len(use.subscripts) != 2 or offset(use.subscripts[0], iterator) is None:
        return False
    return not {iterator, name} & set(names_in(use.subscripts[1]))


def turned_body(body: str, turns: dict[str, TurnView]) -> str:
    """`body` over the transposed matrices."""
    edits = []
    for name, turn in turns.items():
        for use in accesses(body, name):
            row, column = (parenthesised(text) for text in use.subscripts)
            place = f"({column} - {turn.low_column}) * {turn.rows} + ({row} - {turn.low_row})"
            edits.append(Edit(use.span, f"{turn.name}[{place}]"))
    return apply_edits(body, sorted(edits, key=lambda edit: edit.span))
