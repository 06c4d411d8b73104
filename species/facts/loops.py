"""The facts that travel between the stages: what the analyser says of each loop.

Everything here is frozen and made of plain values, so that it can be pickled, compared and printed.
C expressions are texts over names that are visible at the loop in the original file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from species.core.positions import Diagnostic, LoopSpans, Position, Span
from species.facts import Scop
from species.facts.loop_forms import Deferral, MemberSum, OwnCopies, Recount, Stages, Traversal, WorkAreas
from species.grammar.nodes import Range, Species

ROW = "cuvier_row"  # the number of a row, in `KernelArray.read_rows` and `written_rows`
# Numbers of iterations, the first and the last of a part of a kernel, in the arrays of `Kernel.parts`.
PART = ("cuvier_from", "cuvier_to")
# A function that generated code has: does no row of a table overlap with one of another, or (0) of the same?
# Its arguments are, for both tables, the table, the first and the last row, in each the first and the last
# cell, and the size of a cell.  The other one is for tables of tables, of which the first and the last come
# before the rows.  They are in `species.row_tests`.
ROWS_APART, PLANES_APART = "cuvier_rows_apart", "cuvier_planes_apart"
# As the first, of tables whose elements are structures that hold the pointers, and of rows with lengths.
# Behind the table come the size of its elements, and the four arguments of `species.kernels.row_lengths`.
MEMBERS_APART = "cuvier_members_apart"
# Another one, for segments that data bounds: is each of some numbers, and so much more, no less than the one
# of others that goes with it?  Of both come the address of the first, how many bytes apart they are, and
# their size, negative without a sign; then what is added, and how many there are.
IN_ORDER = "cuvier_in_order"
# Does each of some starts whose lengths are positive lie at or behind the end of the one before?  Of both
# come the same three, and how many.
CHUNKS = "cuvier_chunks_apart"
# And one for cells that data chooses: are some numbers distinct?  Of them come the same three, and how many.
DISTINCT = "cuvier_distinct"
# The least and the greatest of some numbers, those whose lengths are positive (0, 0, 0: all of them).
LEAST, GREATEST = "cuvier_least", "cuvier_greatest"


class Verdict(Enum):
    """May the iterations of a loop run in any order?"""

    PARALLEL = "parallel"
    CONDITIONAL = "conditional"  # yes, where all of `LoopFacts.conditions` hold
    SERIAL = "serial"
    UNKNOWN = "unknown"  # the analysis gave up

    @property
    def is_parallel(self) -> bool:
        """True for parallel and for conditional."""
        return self in (Verdict.PARALLEL, Verdict.CONDITIONAL)


class LoopClass(Enum):
    """Loop classes of seed 001; `while` stands for loops that are not counted."""

    DOALL = "doall"
    DOACROSS_REGULAR = "doacross-regular"
    DOACROSS_IRREGULAR = "doacross-irregular"
    DOSEQUENTIAL = "dosequential"
    WHILE = "while"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Reason:
    """Why a loop has its verdict: a numbered code, a sentence, and the places that it speaks of.

    `proven`: it shows that iterations must run in order; else it only says why nothing shows the opposite.
    """

    code: str
    message: str
    position: Position
    related: tuple[Position, ...] = ()
    proven: bool = False


@dataclass(frozen=True)
class Characterisation:
    """An array reference characterisation (theory.md section 1), 5-tuple and 6-tuple in one.

    `domain`, `elements` and `step` have one entry per dimension (`step` is the 5-tuple's; a rational
    like "1/8").  `loop_steps` has one entry per loop of the nest, outermost first, each a tuple with
    one entry per dimension (the 6-tuple's S); `repetition` the trip count of each of these loops.
    """

    name: str
    access: str  # "r" or "w"
    domain: tuple[Range, ...]
    elements: tuple[str, ...]
    step: tuple[str, ...]
    loop_steps: tuple[tuple[str, ...], ...] = ()
    repetition: tuple[str, ...] = ()
    exact: bool = True
    why: tuple[str, ...] = ()  # why it is over-approximated


@dataclass(frozen=True)
class Reduction:
    """`variable` is combined with `operator` (+ * min max & | ^ && ||) by every iteration.

    For argmin and argmax, `with_it` are the variables that are set together with `variable`, and `keeps`
    ("first" or "last") says which of several equal iterations they belong to.

    `variable` is C text: a scalar `s` or an array element `c[i][j]` that the loop does not move; for a
    whole array it is an OpenMP array section `y[0:n]` (start and length).
    """

    operator: str
    variable: str
    with_it: tuple[str, ...] = ()
    keeps: str = ""


@dataclass(frozen=True)
class DistanceVector:
    """How many iterations of each of `loops` (iterators, outermost first) apart two dependent ones are.

    None: it varies.  `loops` are those around both references of the dependence.
    """

    loops: tuple[str, ...]
    distance: tuple[int | None, ...]

    def __str__(self) -> str:
        return f"({','.join('*' if d is None else str(d) for d in self.distance)})"


@dataclass(frozen=True)
class StatementFacts:
    """A statement of a loop's body by itself: the characterisations of one execution.

    Their domains name the iterators around the statement; their steps are the empty set, `()`.
    """

    position: Position
    characterisations: tuple[Characterisation, ...]
    complete: bool  # False: some reference has no subscripts that can be named


@dataclass(frozen=True)
class Linear:
    """An induction variable: every iteration adds `step`, a C expression that the loop does not change."""

    variable: str
    step: str


@dataclass(frozen=True)
class LoopFacts:
    """One loop of the file and all that is known of it."""

    id: str  # function/ordinal path such as "main/2.1"; unique in the file
    kind: str  # "for", "while" or "do"
    function: str
    position: Position  # of the loop keyword; for a macro expansion, of the macro's use
    end_line: int
    depth: int  # 0 = outermost in its function
    parent: str | None
    verdict: Verdict
    loop_class: LoopClass
    tags: tuple[str, ...] = ()  # what kind of nest it is: "perfect", "imperfect", "sor-like", ...
    distances: tuple[DistanceVector, ...] = ()  # of a serial nest's dependences, as far as arrays carry them
    wavefront: tuple[str, ...] = ()  # hyperplanes along which a serial nest is parallel: "t", "t + i"
    spans: LoopSpans | None = None  # None: comes from a macro or cannot be edited
    stretch: Span | None = None  # of a loop whose header a macro makes: from its use to the loop's end
    species: Species | None = None
    exact: bool = True
    base_loops: tuple[str, ...] = ()  # iterators, outermost first
    characterisations: tuple[Characterisation, ...] = ()
    statements: tuple[StatementFacts, ...] = ()  # directly in its body; only where they were asked for
    private: tuple[str, ...] = ()  # declared outside the loop, dead after it
    firstprivate: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()  # it only reads them, and threads with copies are faster
    lastprivate: tuple[str, ...] = ()
    lastprivate_conditional: tuple[str, ...] = ()  # the last iteration that writes it counts
    linear: tuple[Linear, ...] = ()
    reductions: tuple[Reduction, ...] = ()
    rounded: tuple[str, ...] = ()  # of these, sums and products that another order rounds in another way
    conditions: tuple[str, ...] = ()  # C expressions; all must hold
    said: tuple[tuple[str, str], ...] = ()  # conditions, and the same in words
    reasons: tuple[Reason, ...] = ()
    openmp_obstacle: str = "it is not parallel"  # why no `parallel for` may stand before it; empty: it may
    nonempty: bool = False  # makes an iteration, whenever it is reached
    uneven: bool = False  # later iterations take longer than early ones, or less long: triangles
    across: int = 0  # side by side, its iterations fill vectors: see `openmp.vectors`
    overlap_tests: int = 0  # by compilers, before vectors (see `openmp.vectors`)
    schedule: str = ""  # how threads should share its iterations, as OpenMP's clause says it
    collapse: int = 1  # how many loops, from this one inwards, `collapse` may join legally in OpenMP
    kernel: Kernel | None = None  # of every parallel loop whose text can be taken apart
    scheme: Kernel | None = None  # of a serial loop that has a pattern
    traversal: Traversal | None = None  # of a serial loop along a list
    stages: Stages | None = None  # of a serial loop with a parallel part
    deferral: Deferral | None = None  # of a serial loop of which a part can be put off
    member_sums: tuple[MemberSum, ...] = ()  # of a parallel loop: what OpenMP has no reductions of
    own_copies: OwnCopies | None = None  # of a serial loop, with which it would be parallel
    work_areas: WorkAreas | None = None  # of a loop that threads do not share, with which they could
    recount: Recount | None = None  # of a parallel loop that does not count as OpenMP asks for
    users: str = ""  # why it stays as the user wrote it, directives and all; empty: it need not
    unprofitable: str = (
        ""  # why it is not worth threads; empty: it is, or was not asked (models.profitability)
    )
    asked: str = ""  # C: when the run finds that it is; empty: always
    few: tuple[str, int] | None = None  # the member that `unprofitable` takes for a small number

    @property
    def whole(self) -> Span | None:
        """Where it stands in its file."""
        return self.spans.whole if self.spans is not None else self.stretch

    @property
    def copied_for_threads(self) -> tuple[tuple[str, str], ...]:
        """What threads need their own of, so that they can share the loop, and what combines it behind it."""
        copies = self.own_copies.copies if self.own_copies is not None else ()
        own = self.work_areas if not copies else None
        memory = (
            [] if own is None else [*(a.variable for a in own.areas), *(s.variable for s in own.structures)]
        )
        return (*((c.place, c.operator) for c in copies), *((name, "") for name in memory))

    @property
    def condition_words(self) -> tuple[str, ...]:
        """The conditions for people; where there are no words for one, it is the C expression."""
        words = dict(self.said)
        return tuple(words.get(condition, f"'{condition}' is true") for condition in self.conditions)

    @property
    def proven(self) -> bool:
        """Is the verdict shown?  Else the loop is left serial, since nothing shows that it is parallel."""
        return self.verdict.is_parallel or any(reason.proven for reason in self.reasons)

    @property
    def openmp(self) -> bool:
        """Is `#pragma omp parallel for` before this loop legal and safe?"""
        return not self.openmp_obstacle

    @property
    def is_combined_in_copies(self) -> bool:
        """May threads share it only if they have copies of arrays, in memory that the program asks for?"""
        combined = self.kernel.combined if self.kernel is not None else ()
        able = bool(combined) and all(each.copied for each in combined)
        return able and self.verdict.is_parallel and not self.openmp


@dataclass(frozen=True)
class KernelLoop:
    """A base loop of a kernel.  The texts are the original's, comments and macros included."""

    iterator: str
    ctype: str  # type of the iterator, "int"
    declared_inside: bool  # `for (int i = ...)`
    lower: str  # initial value
    condition: str  # `i < n - 1`
    increment: str  # `i += 2`
    step: int  # constant, never 0, negative when counting down
    trips: str | None  # C: most iterations it makes, over names visible before the nest; None: unknown
    spans: LoopSpans


@dataclass(frozen=True)
class KernelArray:
    """An array that a kernel touches.

    `reads` and `writes` are regions: inclusive bounds per dimension, over-approximated where they
    must be, never beyond the array as far as is known.  None: not read (written); an empty
    tuple: touched at places that cannot be bounded, so the whole `extent` counts.

    `read_rows` and `written_rows`: the bounds of the rows, then of what is touched in one of them, in terms
    of its number `ROW`, where every cell of that is read (written) for certain, and nothing else. Empty: the
    region says as much, or the rows are not known.
    """

    name: str
    element: str  # C type of one element
    extent: tuple[str | None, ...]  # elements per dimension; None where it is not known
    pointer: bool  # a pointer or array parameter, not a declared array object
    storage: str  # "global", "local" or "parameter"; "memory": pointers in memory lead to it
    reads: tuple[Range, ...] | None
    writes: tuple[Range, ...] | None
    covered: bool  # every cell of `writes` is written for certain, so nothing need be copied in for it
    readonly: bool = False  # declared const
    read_rows: tuple[Range, ...] = ()
    written_rows: tuple[Range, ...] = ()
    named: bool = True  # the name means the array before and after the loop, too

    @property
    def is_rows(self) -> bool:
        """Does it stand for what a table of pointers leads to?"""
        return self.storage == "memory"

    @property
    def holds_pointers(self) -> bool:
        return "*" in self.element

    @property
    def is_unsized(self) -> bool:
        """Is neither known which part of it is touched, nor how large it is?"""
        return () in (self.reads, self.writes) and None in self.extent


@dataclass(frozen=True)
class KernelTable:
    """A table of pointers that a kernel uses to reach rows; it has `arrays` of the same name for both.

    `first` and `last` are the rows that may be touched, C expressions over names visible before the nest.
    """

    name: str
    element: str  # C type of one element of a row
    first: str
    last: str
    extent: str | None  # rows that the table is declared with; None: nobody knows
    writes: bool  # of elements of rows


@dataclass(frozen=True)
class KernelScalar:
    """A scalar that a kernel uses.

    role: "in" (only read), "private", "firstprivate", "lastprivate" (the last iteration's value is
    needed after) or "reduction" (`operator` says which; what argmin and argmax set together has theirs).
    `number`: what a variable of the function always is that is only read, whenever the kernel runs; `given`:
    what a parameter is in the calls of the function, in their order, where these are numbers.  Such variables
    are named at `places` (macros aside).
    """

    name: str
    ctype: str
    role: str
    operator: str | None = None
    number: int | None = None
    given: tuple[int, ...] = ()
    places: tuple[Span, ...] = ()


@dataclass(frozen=True)
class KernelReduction:
    """Iterations combine values into elements of `array` with `operator`; several may meet in one element.

    The elements are within the `writes` of that KernelArray.  `copied`: threads may have copies of them under
    the array's name, where all of `provided` hold (C texts).  They are in `region`, but there may not be all
    of that; empty: it is unknown, so that the whole array counts.  Of structures of the type `element`, the
    `members` are combined, each with its own of the `operators`; `types` are theirs.
    """

    array: str
    operator: str
    copied: bool = False
    region: tuple[Range, ...] = ()
    provided: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    element: str = ""


@dataclass(frozen=True)
class KernelPattern:
    """What ties the iterations of a serial loop together, and nothing else does.

    kind: "scan" (iterations use what `variable` has come to) or "pack" (it says where the next element goes).
    Each iteration combines `term` into `variable`, once; the term, a C expression, can be computed before it.
    """

    kind: str
    variable: str
    operator: str
    term: str
    conditional: bool = False  # the source combines under an `if`, which is a part of the term
    packed: tuple[str, ...] = ()  # arrays of which it writes the cell `variable` says, before that moves on


@dataclass(frozen=True)
class KernelMember:
    """A member of a structure that a kernel uses and does not change, an array that is one, or the structure.

    `declaration` is that of a variable `{}` that could stand for it at all `places`; `tested`: only where the
    kernel's conditions hold.
    """

    text: str  # as in the source: `v->n`
    declaration: str
    places: tuple[Span, ...]
    tested: bool
    members: tuple[str, ...] = ()  # of a structure: those that are copied, `v->n`; none: all

    @property
    def by_address(self) -> bool:
        """Is it a whole structure, `*v`, whose address is given to functions at all `places`?"""
        return self.text.startswith("*")

    @property
    def value(self) -> str:
        """What the variable starts with, as C."""
        if not self.members:
            return self.text
        return "{ " + ", ".join(f".{each.partition('->')[2]} = {each}" for each in self.members) + " }"


@dataclass(frozen=True)
class Kernel:
    """A nest whose base loops may run in any order, with all that a skeleton needs to replace it.

    `loops` are perfectly nested, outermost first, starting at the loop that owns the kernel; `body`
    is the span of what the innermost of them repeats.  `functions` are called inside, by name.
    `obstacles` say why no accelerator can run it (empty: it can, with care for what is `combined`); those
    that are in `pointers`, too, do not matter where it is given the rows of `tables`, and those in `unsized`
    where the sizes of arrays are found when the program runs.
    """

    name: str  # unique in the file, made from the file's stem: "jacobi_k1"
    loops: tuple[KernelLoop, ...]
    arrays: tuple[KernelArray, ...]
    scalars: tuple[KernelScalar, ...]
    functions: tuple[str, ...]
    conditions: tuple[str, ...]
    obstacles: tuple[Reason, ...] = ()
    pointers: tuple[Reason, ...] = ()
    unsized: tuple[Reason, ...] = ()
    tables: tuple[KernelTable, ...] = ()
    combined: tuple[KernelReduction, ...] = ()  # array elements; of scalars, their roles tell
    pattern: KernelPattern | None = None  # its iterations run in any order only as the pattern says
    provided: tuple[str, ...] = ()  # conditions under which the arrays' regions are right
    members: tuple[KernelMember, ...] = ()
    readable: tuple[str, ...] = ()  # conditions under which they may be read before the nest
    entered: bool = False  # `readable` says that it makes an iteration, and no more
    sharing_obstacle: str = ""  # why OpenMP threads may not share its iterations, whatever these combine
    moving_header: bool = (
        False  # ... only because it may write what its header reads: not where variables hold that
    )
    # Only where they were asked for: for each of `loops`, the arrays as its iterations `PART` touch them; ()
    # where they are not known.
    parts: tuple[tuple[KernelArray, ...], ...] = ()
    separate: tuple[
        str, ...
    ] = ()  # arrays it writes to that it reads only to update cells, or where it never writes
    apart: bool = True  # no two arrays, of which it writes to one, have cells in common when it runs


@dataclass(frozen=True)
class Transfer:
    """A copy between host and accelerator around a kernel: direction "in" (before it) or "out" (after it).

    `region` has inclusive bounds per dimension; empty: the whole array.  `rows`: what of it, row by row, as
    in `KernelArray`; empty: all.
    """

    array: str
    direction: str
    region: tuple[Range, ...]
    rows: tuple[Range, ...] = ()


CopyPlan = Mapping[str, tuple[Transfer, ...]]  # by the name of the kernel, or what `part_of` says


def part_of(kernel: str, level: int) -> str:
    """What a part of the iterations of a kernel's loop, by its level, is called in a copy plan."""
    return f"{kernel} in parts of loop {level}"


@dataclass(frozen=True)
class Fusion:
    """What became of two kernels of one block, and why.

    `lines` are those on which they begin.  `form` is "together" where an iteration of the fused loop runs
    one of each, "beside" where it runs one of either, and empty where they are two.  `adjoining`: no other
    kernel stands between them.  `by_tuples` is what algorithm 4.1 of seed 003 says of their
    legality, which looks at characterisations alone.
    """

    lines: tuple[int, int]
    fused: bool
    why: str
    by_tuples: bool
    form: str = ""
    adjoining: bool = True


@dataclass(frozen=True)
class Glue:
    """What became of a statement of the host between kernels: a kernel of one thread or not, and why."""

    line: int
    glued: bool
    why: str


@dataclass(frozen=True)
class UnitFacts:
    """All loops of one file, in source order, with the front end's diagnostics."""

    file: str
    status: str  # "ok", "partial" or "failed"
    diagnostics: tuple[Diagnostic, ...]
    loops: tuple[LoopFacts, ...]
    scops: tuple[Scop, ...] = ()  # only where they were asked for
    summary: str = ""  # what other files of the program should know (species.interprocedural); as `scops`
