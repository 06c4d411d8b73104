"""What the template sees of a loop whose iterations run side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from pycparser import c_ast

from skeletons.body.outer_vectorisation.conditions import bare, bitwise, negated
from skeletons.body.outer_vectorisation.shape import Piece, Shape, shape_of
from skeletons.body.outer_vectorisation.strips import Strips, strips_of
from skeletons.body.outer_vectorisation.validate import validate
from skeletons.body.outer_vectorisation.values import Variable, declarations, names, types_in, variables
from skeletons.kernel.context import Subject
from species.core.refusal import Refusal
from species.source.text.code import code_tokens, dedented


@dataclass(frozen=True)
class LanesView:
    """`names` are those of new variables: at, here, lane, ready, more, go, stays, and "of NAME", an array."""

    shape: Shape
    strips: Strips
    variables: tuple[Variable, ...]
    names: dict[str, str]
    lanes: int
    begins: str  # the condition that a first step is made; empty: it always is
    goes_on: str  # the condition, bit by bit, that the step just made is followed by another
    stays: str  # of a step that may be left in its middle: that it is not

    @property
    def kept(self) -> list[Variable]:
        """Those with a value when the inner loop begins."""
        return [v for v in self.variables if v.given]

    @property
    def in_step(self) -> list[Variable]:
        """Those of `kept` that a step uses."""
        return [v for v in self.kept if v.is_used]

    @property
    def changed(self) -> list[Variable]:
        """Those of `kept` that a step changes."""
        return [v for v in self.kept if v.is_changed]

    @property
    def anew(self) -> list[Variable]:
        """Those that a step gives a value before it reads them, declared outside of it."""
        return [v for v in self.variables if not v.given and v.is_used]

    @property
    def unread(self) -> list[Variable]:
        """Those of `anew` whose value no step reads, to be mentioned for the compiler's sake."""
        return [v for v in self.anew if not v.is_read]

    @property
    def redeclared(self) -> list[Variable]:
        """Those of `kept` that are declared before the inner loop."""
        return [v for v in self.kept if v.declared == "before"]

    @property
    def without_value(self) -> list[Variable]:
        """Those declared before the inner loop that have no value when it begins."""
        return [v for v in self.variables if not v.given and v.declared == "before"]

    @property
    def reassigned(self) -> list[Variable]:
        """Those of `kept` that are declared outside of the iteration."""
        return [v for v in self.kept if not v.declared]

    @property
    def is_placed_before(self) -> bool:
        """Is the iterator used before the first step?"""
        return self.strips.loop.iterator in names(self.shape.before, self.shape.start, *self.shape.tests)

    @property
    def is_placed_in_step(self) -> bool:
        """Is the iterator used in a step?"""
        return self.strips.loop.iterator in names(*self.shape.step)

    @property
    def is_placed_behind(self) -> bool:
        """Is the iterator used in a step or behind the inner loop?"""
        return self.is_placed_in_step or self.strips.loop.iterator in names(self.shape.after)

    @property
    def silent(self) -> list[str]:
        """Declared before the inner loop, but not used there: to be mentioned for the compiler's sake."""
        own = [node.name for node in declarations(self.shape.before)]
        counts = Counter(_mentions(self.shape.before) + _mentions(self.shape.start))
        kept = {v.name for v in self.kept}
        return [name for name in own if not counts[name] and name not in kept]

    @property
    def header(self) -> str:
        """The inner loop from the kept values on."""
        if not self.shape.start.nodes:
            return self.shape.inner.strip()
        own = [v for v in self.kept if v.declared == "header"]
        begin = ", ".join(f"{v.name} = {self.names[f'of {v.name}']}[{self.names['lane']}]" for v in own)
        ctype = f"{own[0].ctype} " if own else ""
        end = next(token.start for token in code_tokens(self.shape.inner) if token.text == ";")
        return f"for ({ctype}{begin}{self.shape.inner[end:]}".strip()

    @staticmethod
    def text(piece: Piece) -> str:
        """The statements of a piece, to be indented."""
        return dedented(piece.text.replace("\r\n", "\n").strip("\n")).strip()

    @staticmethod
    def grouped(some: list[Variable]) -> list[tuple[str, list[Variable]]]:
        """The variables by type, in order."""
        types = dict.fromkeys(v.ctype for v in some)
        return [(ctype, [v for v in some if v.ctype == ctype]) for ctype in types]


def lanes_view(subject: Subject, lanes: int, free: Callable[[str], str]) -> LanesView:
    """The loop for `lanes` lanes; Refusal says what stands in the way.

    `free` gives a name like the one that is wanted which nothing has yet.
    """
    trips = subject.kernel.loops[0].trips
    if trips is not None and trips.isdigit() and int(trips) < lanes:
        raise Refusal(f"it makes only {trips} iterations")
    shape = shape_of(subject)
    types, found = types_in(subject, shape), variables(subject, shape)
    strips = strips_of(subject, shape.outer, types)
    validate(subject, shape, types, found)
    wanted = _names(free, found)
    return LanesView(
        shape=shape,
        strips=strips,
        variables=found,
        names=wanted,
        lanes=lanes,
        begins="" if shape.is_do else _begins(shape),
        goes_on=_goes_on(shape, wanted["stays"]),
        stays=negated(shape.leave.text) if shape.leave else "",
    )


def _names(free: Callable[[str], str], found: tuple[Variable, ...]) -> dict[str, str]:
    """Free names by what they are for; those of arrays by "of NAME"."""
    taken = set[str]()
    wanted = {name: name for name in ("at", "here", "lane", "ready", "more", "go", "stays")}
    wanted |= {f"of {variable.name}": f"{variable.name}_lanes" for variable in found}
    for use, name in wanted.items():
        while (fresh := free(name)) in taken:
            name += "_"
        taken.add(fresh)
        wanted[use] = fresh
    return wanted


def _begins(shape: Shape) -> str:
    """The condition as the source tests it, what protects coming first."""
    texts = [shape.test.text] if shape.test.nodes else []
    texts += [f"!({piece.text})" for piece in shape.leading]
    whole = len(texts) == 1 or "||" not in shape.test.text
    return " && ".join(texts if whole else [f"({texts[0]})", *texts[1:]])


def _goes_on(shape: Shape, stays: str) -> str:
    parts = [bitwise(shape.test.text)] if shape.test.nodes else []
    parts += [negated(piece.text) for piece in shape.leading]
    whole = " & ".join([*([stays] if shape.leave else []), *parts])
    return bare(whole)


def _mentions(piece: Piece) -> list[str]:
    return [n.name for n in piece.walk() if isinstance(n, c_ast.ID)]
