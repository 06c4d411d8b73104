"""Other forms that loops can take: with a counter of their own, along a table of nodes, in stages.."""

from __future__ import annotations

from dataclasses import dataclass

from species.core.positions import Span

NOTE = "cuvier_note"  # the function by which iterations note what they put off


@dataclass(frozen=True)
class Moved:
    """A variable that every iteration moves by `step`, a C expression that the loop does not change.

    `start`: what it is before the first iteration; empty: what it is before the loop.  `declared_inside`: its
    declaration is the loop's, so that it has no value before and after it.
    """

    variable: str
    ctype: str
    start: str
    step: str
    declared_inside: bool = False


@dataclass(frozen=True)
class Recount:
    """What takes to count the iterations of a loop in a variable of their own, in names visible before it.

    `trips`: a C expression, 0 or less for none, of type `ctype`.  `effect`: what the condition does, where it
    does something.
    """

    trips: str
    moved: tuple[Moved, ...]
    effect: str = ""
    ctype: str = "long"


@dataclass(frozen=True)
class Traversal:
    """A list whose nodes a loop visits, and leaves where they lead: they can be found before any iteration.

    `variable` points to one after the other, `ctype` is its type.  Each iteration ends with the step to the
    next node; where there is a variable `ahead`, it begins with that, and ends with `variable = ahead`.  What
    it does besides is `independent` of other iterations, where that is known.
    """

    variable: str
    ctype: str
    ahead: str = ""
    independent: bool = False


@dataclass(frozen=True)
class Handed:
    """A variable that a `stage` of a loop, the second (1) or the third (2), has again.

    Where stages give it a value that this one needs, they note it: those of the numbers `noted`, the first
    being 0.  Or it has a value that is the same in all stages, and cheap to compute `again`: where that
    stands in the file.
    """

    variable: str
    ctype: str
    stage: int
    noted: tuple[int, ...] = ()
    is_structure: bool = False
    again: Span | None = None


@dataclass(frozen=True)
class Stages:
    """A serial loop in two stages or three: in the middle one, iterations may run in any order.

    `iterator`, of type `ctype`, counts up by one to what the header compares it with by `<` or `<=`; it is
    declared in the header, or needed after the loop.  `first` and `last` are where the first stage ends, and
    the middle one, in the text of the file; None: there is no stage before the middle one, or behind it.
    """

    iterator: str
    ctype: str
    declared_inside: bool
    first: int | None
    last: int | None
    handed: tuple[Handed, ...]


@dataclass(frozen=True)
class Noted:
    """A variable, of type `ctype`, whose value is noted for statements that are put off."""

    variable: str
    ctype: str


@dataclass(frozen=True)
class Late:
    """Statements that stand at `span` in the file, from `line` on, in one block, and the values they need."""

    span: Span
    line: int
    noted: tuple[Noted, ...]


@dataclass(frozen=True)
class LateFunction:
    """A function, with its `definition` in the file, of which statements are put off; it is called where its
    name stands at `call`.
    """

    name: str
    definition: Span
    call: Span


@dataclass(frozen=True)
class Deferral:
    """A serial loop whose iterations may run in any order but for what is `late`: done behind it, in order.

    `iterator`, of type `ctype`, counts up by one to what the header compares it with by `<` or `<=`; it is
    declared in the header, or needed after the loop.
    """

    iterator: str
    ctype: str
    declared_inside: bool
    late: tuple[Late, ...]
    functions: tuple[LateFunction, ...] = ()


@dataclass(frozen=True)
class OwnCopy:
    """A variable with static storage of which every thread has its own: its declaration ends at `declared`.

    Threads combine what is in it with the `operator` behind the loop; without one, nobody needs it then.
    `element` is the type of its elements, `shape` the lengths of its dimensions.  Of a structure, it is
    a `member`: there is a copy for each that the loop combines, and the loop uses no others.
    """

    variable: str
    declared: int
    operator: str = ""
    element: str = ""
    shape: tuple[int, ...] = ()
    member: str = ""  # with dots

    @property
    def place(self) -> str:
        """What is combined, as C has it."""
        return f"{self.variable}.{self.member}" if self.member else self.variable

    @property
    def name(self) -> str:
        """A name for it in one word."""
        return self.place.replace(".", "_")


@dataclass(frozen=True)
class OwnCopies:
    """With which copies threads could share a loop that is serial without them.

    Tallies, which are combined, need a loop over parts of the iterations: its `iterator`, of type `ctype`,
    counts up by one to what the header compares it with by `<` or `<=`; it is declared in the header, or not.
    `functions` are those that iterations may call.
    """

    copies: tuple[OwnCopy, ...]
    functions: frozenset[str]
    iterator: str
    ctype: str
    declared_inside: bool

    @property
    def tallies(self) -> tuple[OwnCopy, ...]:
        """Those that are combined."""
        return tuple(each for each in self.copies if each.operator)


@dataclass(frozen=True)
class MemberSum:
    """A member of a structure, by its name in the text, that all iterations combine with `operator`.

    `neutral` (C) is what nothing else is combined with; `places` are those of the name in the loop, and it
    names the same before and behind the loop.
    """

    text: str
    ctype: str
    operator: str
    neutral: str
    places: tuple[Span, ...]


@dataclass(frozen=True)
class WorkArea:
    """Memory behind a pointer of which every iteration may have its own: elements of type `element`.

    They are those from `low` to `high`, both included (C over what the loop does not change; where that is
    `positive`, `low` has a type without negative numbers).  The pointer is a variable, or the `member` of a
    structure of which every iteration has its own (`owner`).
    """

    variable: str
    element: str
    low: str
    high: str
    positive: bool = False
    owner: str = ""
    member: str = ""


@dataclass(frozen=True)
class OwnStructure:
    """A variable that is a structure, or a pointer to one, of which every iteration may have a copy.

    `ctype` is the structure's; where a pointer leads to it, as to a constant one (`is_const`) or not, members
    are written with an arrow.  `members` (`.cfg`) and `arrays` (`.m[][]`) are those that lead to no work
    area, and into which iterations do not combine values; `sums` are those into which they do (`text` is
    `.count`).
    """

    variable: str
    ctype: str
    is_pointer: bool
    is_const: bool
    members: tuple[str, ...]
    arrays: tuple[str, ...]
    sums: tuple[MemberSum, ...]
    bytes: int | None  # at least, of the structure; None: that is not known


@dataclass(frozen=True)
class WorkAreas:
    """With which work areas the iterations of a loop may run in any order, where `conditions` hold (C).

    Each iteration fills what it reads, and the last one leaves there what is needed, if anything is.
    `iterator`, of type `ctype`, counts up by one to what the header compares it with by `<` or `<=`; it is
    declared in the header, or not.
    """

    areas: tuple[WorkArea, ...]
    structures: tuple[OwnStructure, ...]
    conditions: tuple[str, ...]
    iterator: str
    ctype: str
    declared_inside: bool
