"""The nouns of the loop model: loops, places in memory, references to them, calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pycparser import c_ast

from species.core.cached import once
from species.loops.origins import Origins
from species.sets.affine import Affine, Counter, Value
from species.sets.conditions import TRUE, Compare, Condition
from species.sets.products import factors, product
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol
from species.symbols.types import INT, CType

PathStep = Affine | str  # a subscript, or the name of a member


@dataclass(frozen=True)
class Place:
    """A memory location: a variable, then subscripts and members.

    `base` tells apart the values that a pointer variable has had (None: the object itself).  A `loose`
    place lies somewhere in the object; its path says nothing more.  It may be known by its number among all
    elements, `flat`: a pointer to a row has left the row that its path names, perhaps.  `lengths` are those
    of the rows, outer ones first, where the object is an array of arrays.
    """

    symbol: Symbol
    path: tuple[PathStep, ...] = ()
    base: Value | None = None
    ctype: CType = field(compare=False, default=CType("unknown", "void"))
    loose: bool = False
    flat: Affine | None = None
    lengths: tuple[Affine, ...] = field(compare=False, default=())
    byte: Affine | None = None  # of a number in memory of another type: that of its first byte
    row: tuple[Affine, int] | None = None  # of a loose row: its number, and how many subscripts led there

    def __hash__(self) -> int:
        return self._hash

    @once
    def _hash(self) -> int:
        """Places are keys of what is known, and are looked up more often than made."""
        return hash((self.symbol, self.path, self.base, self.loose, self.flat))

    @property
    def linear(self) -> Affine | None:
        """The number of the element (or of the one that it is a part of) among those of all rows."""
        steps = [step for step in self.path[: len(self.lengths) + 1] if isinstance(step, Affine)]
        if self.loose or not self.lengths or len(steps) <= len(self.lengths):
            return self.flat
        number: Affine | None = steps[0]
        for step, length in zip(steps[1:], self.lengths, strict=True):
            number = product(number, length) if number is not None else None
            number = number + step if number is not None else None
        return number

    @property
    def is_variable(self) -> bool:
        """The whole of a variable, no pointer followed and no part taken."""
        return not self.path and self.base is None and not self.loose

    @once
    def subscripts(self) -> tuple[Affine, ...]:
        return tuple(step for step in self.path if isinstance(step, Affine))

    @property
    def rows(self) -> tuple[Affine, ...]:
        """The subscripts that lead to the pointer that was followed: in `p[3][i]` and `*p`, 3 and 0."""
        owner = self.base.key[2] if self.base is not None and len(self.base.key) > 2 else None
        if not isinstance(owner, Place):
            return ()
        is_member = len(owner.path) > 1 and isinstance(owner.path[1], str) and owner.path[0] == Affine()
        return (*owner.rows, *(owner.subscripts[1:] if is_member else owner.subscripts))

    @once
    def size(self) -> int:
        """How many values it takes to say where it is."""
        return sum(s.size for s in self.subscripts) + (self.base.size if self.base else 0)

    @once
    def loops(self) -> frozenset[int]:
        """The loops that may move the place."""
        parts = [s.loops for s in self.subscripts]
        return frozenset().union(*parts, self.base.loops if self.base else ())

    @once
    def name(self) -> str:
        """The variable with its members, as in `s.x` or `p->x`."""
        text = self.symbol.name
        for position, step in enumerate(self.path):
            if isinstance(step, str):
                arrow = position == 1 and self.symbol.ctype.kind == "pointer" and self.path[0] == Affine()
                text += f"->{step}" if arrow else f".{step}"
        return text


@dataclass(frozen=True)
class Pointer:
    """The address of `place` (an array element), moved on by `offset` elements."""

    place: Place  # the object that is indexed: `place.path + (offset + k,)` is what `pointer[k]` means
    offset: Affine
    target: CType = field(compare=False, default=CType("unknown", "void"))
    reach: str = "array"  # "row": as long as it stays in its row; "cell": of `place` itself, with offset 0


@dataclass(frozen=True)
class Update:
    """One statement `x = x op e`: its references to x carry the same number.

    An argmin or argmax sets `variables` variables at once; `keeps` is the first or the last of equals.
    It looks through one array row only where the variables `fixed` do not change.
    """

    operator: str
    number: int
    variables: int = 1
    keeps: str = ""
    fixed: tuple[Symbol, ...] = ()

    @property
    def is_place(self) -> bool:
        """Is it an argmin or argmax, which remembers where the extreme was?"""
        return bool(self.keeps)


@dataclass(frozen=True, eq=False)
class Inlining:
    """A call whose callee is analysed in its place: a copy of its body, with variables of its own.

    `caller` is the inlining whose body holds the call, None for a call by the function itself.
    `early` says that some path returns before the body's end; `variables` are its own, parameters included,
    which are no more when it has returned.
    """

    call: Any
    name: str
    parameters: tuple[Symbol, ...]
    body: Any
    result: CType
    early: bool
    variables: frozenset[Symbol]
    caller: Inlining | None = None

    @property
    def arguments(self) -> list[Any]:
        return self.call.args.exprs if self.call.args else []

    @property
    def chain(self) -> tuple[Inlining, ...]:
        """From the function's own call inwards."""
        return (*self.caller.chain, self) if self.caller else (self,)


@dataclass(frozen=True, eq=False)
class Reference:
    """One read or write of a place by a statement.

    `conditions` hold whenever it is executed: those of the loops around it and of the branches.
    `block` tells where it stands: the numbers of the branches and loops around it, outermost first.
    """

    place: Place
    write: bool
    conditions: tuple[Condition, ...]
    loops: tuple[int, ...]  # numbers of the loops around it, outermost first
    node: Any
    order: int
    update: Update | None = None
    block: tuple[int, ...] = ()
    inlining: Inlining | None = None  # where it stands in the body of a callee

    @property
    def symbol(self) -> Symbol:
        return self.place.symbol


@dataclass(frozen=True, eq=False)
class Call:
    """A call that is not known to be harmless; `effect` is one of `species.symbols.effects`."""

    name: str
    effect: str
    node: Any
    loops: tuple[int, ...]
    inlining: Inlining | None = None  # where it stands in the body of a callee
    inside: tuple[str, ...] = ()  # the functions, outermost first, that the call which is meant stands in


@dataclass(frozen=True, eq=False)
class Obstacle:
    """Why a loop cannot be counted or left by all its iterations: a reason code and a sentence."""

    code: str
    message: str
    node: Any


@dataclass(frozen=True)
class Multiplied:
    """A variable that a loop's header multiplies by a power of two, or divides: its value in an iteration.

    A rising one starts with a constant power of two.
    """

    value: Affine
    start: Affine
    rises: bool


@dataclass(eq=False)
class Loop:
    """A loop of a function.

    The iterator is `lower + step * Counter(number)`.  `bound` holds in every iteration.  `entry` is what
    is known of variables and places on entry.
    """

    number: int
    kind: str  # for, while, do
    node: Any
    parent: Loop | None
    function: str
    conditions: tuple[Condition, ...] = ()  # of everything around it
    iterator: Symbol | None = None
    declared_inside: bool = False
    lower: Affine = field(default_factory=Affine)
    step: int = 1
    steps_in_header: bool = False  # a `for` that moves the iterator in its header, and nowhere else
    steps: Mapping[Symbol, Affine] = field(default_factory=dict)  # what an iteration adds to others, always
    bound: Condition = TRUE
    ends_early: bool = False  # a jump or a call may end it while its condition holds
    through_zero: bool = False  # it ends behind 0, where the iterator becomes its type's largest number
    compared: CType = INT  # what its condition compares as, at least
    meets_bound: bool = False  # it ends where two values are equal, which a correct program comes to
    entry: Mapping[Any, Any] = field(default_factory=dict)
    set_in_header: frozenset[Symbol | Place] = frozenset()  # what has another value before the loop
    starts_with_effect: bool = False  # evaluating the start does more than give a value
    starts_from_fraction: bool = False  # the start may depend on floating-point numbers
    visible: Mapping[str, Symbol] = field(default_factory=dict)  # the function's own names where it begins
    obstacles: list[Obstacle] = field(default_factory=list)
    children: list[Loop] = field(default_factory=list)
    assumed: bool = False  # the bound is one if no pointer leads to what its condition reads (see `Origins`)
    stride: Affine | None = None  # of an unknown step: it is `stride * step`, so that counters are skipped
    multiplied: tuple[Multiplied, ...] = ()  # by its header, and nowhere else
    exact: bool = True  # the bound is all there is to know
    why_inexact: str = ""
    unread: bool = False  # it was too much work: nothing is known of it but where it stands
    inlined: bool = False  # stands in a callee, or for what a library function does: no loop of the function

    @once
    def path(self) -> tuple[int, ...]:
        return (*self.parent.path, self.number) if self.parent else (self.number,)

    @once
    def counter(self) -> Counter:
        return Counter(self.number)

    @property
    def counted(self) -> bool:
        """It counts from a start to a bound, with a constant step, and is left nowhere else."""
        return self.iterator is not None and not self.obstacles

    @property
    def own_children(self) -> list[Loop]:
        """The loops inside that stand in the function itself, not in what it calls."""
        return [child for child in self.children if not child.inlined]

    @property
    def strided(self) -> bool:
        """Is the step a positive multiple of `step` that nobody knows?"""
        return self.stride is not None

    def sees(self, symbol: Symbol) -> bool:
        """Does the variable's name mean it right before the loop?"""
        found = self.visible.get(symbol.name)
        if found is not None or symbol.scope is not None:
            return found is symbol
        return self.node.coord is None or symbol.line <= self.node.coord.line

    def hides(self, symbol: Symbol) -> bool:
        """Does the variable's name mean another one, or none, right before the loop?"""
        return symbol.outlives_function and not self.sees(symbol)

    @property
    def depth(self) -> int:
        return len(self.path) - 1


_STATEMENTS = (
    *(c_ast.Compound, c_ast.If, c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch, c_ast.Case),
    *(c_ast.Default, c_ast.Label, c_ast.Return, c_ast.DeclList),
)


def _full_expressions(node: Any) -> Iterator[Any]:
    """The expressions in a statement that are no part of another one."""
    if not isinstance(node, _STATEMENTS):
        yield node
        return
    for _, child in node.children():
        yield from _full_expressions(child)


def _declares(node: Any) -> bool:
    """Does a type's node give it its meaning, and a name?"""
    parts = node.values if isinstance(node, c_ast.Enum) else getattr(node, "decls", node)
    return node.name is not None and parts is not None


def ancestors(loop: Loop) -> Iterator[Loop]:
    """The loops around a loop, innermost first."""
    while loop.parent is not None:
        loop = loop.parent
        yield loop


def nested(loop: Loop) -> Iterator[Loop]:
    """The loops inside a loop, innermost first, and the loop itself."""
    for child in loop.children:
        yield from nested(child)
    yield loop


def is_uneven(loop: Loop) -> bool:
    """Do loops inside it make more iterations, or fewer, with each of its own: is it a triangle?"""
    bounds = (each.bound for each in nested(loop) if each is not loop)
    ends = (bound.expression for bound in bounds if isinstance(bound, Compare))
    return any(loop.counter in factors(atom) for end in ends for atom, _ in end.terms)


def inner_loops(loop: Loop) -> frozenset[int]:
    """The numbers of a loop and of all loops inside it."""
    return frozenset((loop.number,)).union(*(inner_loops(c) for c in loop.children))


@dataclass
class FunctionModel:
    """All loops of a function, and all references and calls inside loops."""

    name: str
    node: Any
    loops: list[Loop] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    declared: dict[Symbol, tuple[int, ...]] = field(default_factory=dict)  # loops around each declaration
    extents: dict[Symbol, tuple[Affine | None, ...]] = field(default_factory=dict)  # elements per dimension
    depths: dict[int, int] = field(default_factory=dict)  # of blocks: how many conditions hold around them
    open_ended: set[Symbol] = field(default_factory=set)  # with structures whose last array has no size
    structured: bool = True  # no labels, so that liveness can be read off the tree
    inlined: dict[int, Inlining] = field(default_factory=dict)  # by the id of the c_ast.FuncCall
    led: dict[int, tuple[Any, ...]] = field(default_factory=dict)  # see `Inliner.led`, likewise
    callees: Mapping[str, c_ast.FuncDef | None] = field(default_factory=dict)  # see `Resolution.known`
    guards: dict[int, Condition] = field(default_factory=dict)  # of branches, by the id of the c_ast.If
    taken: dict[int, bool | None] = field(default_factory=dict)  # likewise: do they hold?  None: who knows
    origins: Origins = field(default_factory=Origins)
    assumed: set[Affine] = field(default_factory=set)  # sums of 64 bits that are taken not to wrap around

    # What follows is asked for when the model is complete.

    @once
    def numbered(self) -> Mapping[int, Loop]:
        """The loops by their numbers."""
        return {loop.number: loop for loop in self.loops}

    @once
    def expressions(self) -> Mapping[int, int]:
        """The full expression that a part of one belongs to, both by their ids."""
        bodies = (self.node.body, *(i.body for i in self.inlined.values()))
        roots = (root for body in bodies for root in _full_expressions(body))
        return {id(part): id(root) for root in roots for part in walk(root)}

    @once
    def local_types(self) -> frozenset[str]:
        """The names and tags of types that the function declares, or one that is analysed in its place."""
        nodes = (n for body in (self.node, *(i.body for i in self.inlined.values())) for n in walk(body))
        declaring = (c_ast.Typedef, c_ast.Struct, c_ast.Union, c_ast.Enum)
        return frozenset(node.name for node in nodes if isinstance(node, declaring) and _declares(node))

    @once
    def bounds(self) -> frozenset[Condition]:
        """The bounds of all loops."""
        return frozenset(loop.bound for loop in self.loops)
