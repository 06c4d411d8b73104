"""Static control parts as plain values: trees of loops and statements, sets and relations as isl texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from species.core.positions import LoopSpans, Position, Span


@dataclass(frozen=True)
class ScopAccess:
    """A reference of a statement: isl text `{ S0[i, j] -> A[x0, x1] : ... }`, never too small.

    `moves` has, per dimension of the array, what is added to the subscript when one of the statement's
    iterators grows by one and the others stay (rounded away from zero); None where that differs.
    """

    array: str
    write: bool
    relation: str
    moves: tuple[tuple[int, ...] | None, ...]


@dataclass(frozen=True)
class ScopScalar:
    """A variable that a statement uses for itself alone."""

    name: str
    ctype: str


@dataclass(frozen=True)
class ScopStatement:
    """A stretch of the source that runs once in every iteration of `domain` (isl text, over iterators'
    values).

    `operator` is that of a statement that only combines one cell with a value, `cell op= value`; other cells
    of the array may be read for the value.  `sums` are variables, by their names in the sets, that one which
    does more only combines with values, with the operators.
    `temporaries` are declared outside, but carry no value from one execution to another or behind the nest;
    `declared` are the names that its text declares for all that follows in the block.
    """

    name: str
    span: Span
    iterators: tuple[str, ...]  # of the loops around it, outermost first
    domain: str
    accesses: tuple[ScopAccess, ...]
    operator: str | None
    sums: tuple[tuple[str, str], ...]
    temporaries: tuple[ScopScalar, ...]
    text: str | None  # what it runs, where that is not what stands at `span`
    declared: tuple[str, ...]
    guarded: bool  # the loops around it make iterations that are not in its domain
    plain: bool  # one expression, and no loops, conditions or declarations
    loops: bool  # there are some in it
    trips: tuple[
        str, ...
    ]  # the iterations of the deepest of these, outermost first: C, empty where not known
    uneven: bool  # of which data decide how long they run
    straight: bool  # assignments, declarations with values, and loops of a few of them: the same for all


@dataclass(frozen=True)
class ScopLoop:
    """A loop with what it repeats, in order.  Texts are the source's; `span` is the whole loop.

    Every iteration may have its own copies of the arrays in `temporary` (names in the sets); behind the loop,
    those in `live` have what the last iteration wrote, and the cells that it did not write are as they were.
    """

    iterator: str
    ctype: str
    unsigned: bool
    bits: int
    declared_inside: bool
    lower: str
    condition: str
    step: int
    spans: LoopSpans
    children: tuple[ScopNode, ...]
    temporary: tuple[str, ...] = ()
    live: tuple[str, ...] = ()


ScopNode = ScopLoop | ScopStatement


@dataclass(frozen=True)
class ScopArray:
    """An array by its name in the sets: `extents` are C texts, None where not known; none for a scalar.

    Where the sets see rows in a flattened array, `rows` are the lengths of these, for every dimension but the
    first: `A[x0, x1]` is cell number `x0*rows[0] + x1` of the array, counted from `start`.
    `variable` is C text: a name that the nests use, or a pointer in a structure, `g->u`.
    `bytes` is the size of an element, None where it is no number or pointer.  `pointer`, `storage` and
    `readonly` as of `KernelArray`.
    """

    name: str
    variable: str
    element: str
    bytes: int | None
    extents: tuple[str | None, ...]
    pointer: bool
    storage: str
    readonly: bool
    rows: tuple[str | None, ...] = ()
    start: str | None = "0"

    @property
    def is_member(self) -> bool:
        """Is it reached by a pointer in a structure?  No clause can name it."""
        return not self.variable.isidentifier()

    @property
    def lengths(self) -> tuple[str | None, ...]:
        """As `extents`, for the dimensions that the array has in the sets."""
        return (None, *self.rows) if self.rows else self.extents


@dataclass(frozen=True)
class Scop:
    """Consecutive nests of one block.

    `parameters` pairs names in the sets with C texts that have their values before the nests.
    `context` is what is known of them.  Where one of `conditions` (C texts) fails, nothing here holds.
    """

    function: str
    position: Position
    span: Span
    nodes: tuple[ScopNode, ...]
    arrays: tuple[ScopArray, ...]
    parameters: tuple[tuple[str, str], ...]
    context: str
    conditions: tuple[str, ...]
    structures: tuple[str, ...] = ()  # of which the nests only read members: `s`, `*p`
    unnamed: tuple[str, ...] = ()  # variables of the source that the statements' texts no longer name
    skipped: str = ""  # a `long` that a program declares before them: the first iterations, which others make
    alternative: Scop | None = None  # the same nests, sums in variables kept in the cells where they end

    def statements(self) -> Iterator[ScopStatement]:
        """All statements in the order of the text."""
        for node in self.nodes:
            yield from statements_in(node)


def statements_in(node: ScopNode) -> Iterator[ScopStatement]:
    """The statements of a subtree in the order of the text."""
    if isinstance(node, ScopStatement):
        yield node
        return
    for child in node.children:
        yield from statements_in(child)


def with_statements(node: ScopNode, change: Callable[[ScopStatement], ScopStatement]) -> ScopNode:
    """A subtree in which each statement is what `change` makes of it."""
    if isinstance(node, ScopStatement):
        return change(node)
    return replace(node, children=tuple(with_statements(child, change) for child in node.children))
