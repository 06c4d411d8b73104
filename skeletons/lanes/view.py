"""What the template sees of a loop whose iterations run side by side."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from pycparser import c_ast

from skeletons.ctext import code_tokens, dedented, names_in
from skeletons.dialect import Refusal
from skeletons.lanes.ahead import check_ahead, check_statement_ahead
from skeletons.lanes.conditions import bare, bitwise, negated
from skeletons.lanes.rules import Rules, check_types
from skeletons.lanes.shape import Piece, Shape, shape_of
from skeletons.lanes.strips import Strips, strips_of
from skeletons.lanes.types import FUNCTIONS
from skeletons.lanes.values import (
    Variable,
    check_set_first,
    declarations,
    names,
    types_in,
    variables,
    written,
)
from skeletons.split import check_text, free_names
from skeletons.statements import hides_statements
from skeletons.subject import Subject

FEW = 5  # operations of a step: less is sooner done than kept for lanes
FLAGS = frozenset({"fetestexcept", "feenableexcept", "fegetexceptflag", "feraiseexcept", "FENV_ACCESS"})


@dataclass(frozen=True)
class LanesView:
    """`names` are those of new variables: at, lane, lanes, ready, more, go, stays, and the arrays of lanes."""

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
        begin = ", ".join(f"{v.name} = {self.names[v.name]}[{self.names['lane']}]" for v in self._in_header)
        ctype = self._in_header[0].ctype + " " if self._in_header else ""
        end = next(token.start for token in code_tokens(self.shape.inner) if token.text == ";")
        return f"for ({ctype}{begin}{self.shape.inner[end:]}".strip()

    @property
    def _in_header(self) -> list[Variable]:
        return [v for v in self.kept if v.declared == "header"]

    @staticmethod
    def text(piece: Piece) -> str:
        """The statements of a piece, to be indented."""
        return dedented(piece.text.replace("\r\n", "\n").strip("\n")).strip()

    @staticmethod
    def grouped(some: list[Variable]) -> list[tuple[str, list[Variable]]]:
        """The variables by type, in order."""
        types = dict.fromkeys(v.ctype for v in some)
        return [(ctype, [v for v in some if v.ctype == ctype]) for ctype in types]


def lanes_view(subject: Subject, lanes: int) -> LanesView:
    """The loop for `lanes` lanes; Refusal says what stands in the way."""
    shape = shape_of(subject)
    _check_length(shape)
    _check_place(subject, shape)
    types = types_in(subject, shape)
    strips = strips_of(subject, shape.outer, types)
    found = variables(subject, shape)
    _check_values(shape, found)
    _check_step(subject, shape, types)
    free = free_names(subject)
    wanted = {name: free(name) for name in ("at", "here", "lane", "ready", "more", "go", "stays")}
    wanted |= {variable.name: free(f"{variable.name}_lanes") for variable in found}
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


def _check_length(shape: Shape) -> None:
    """Data must decide how long the inner loop is."""
    changed = set(written(shape.first, shape.rest))
    if not shape.leading and shape.leave is None and not changed & names(shape.test):
        raise Refusal("its inner loop is counted")


def _check_values(shape: Shape, found: tuple[Variable, ...]) -> None:
    """Every variable has a value when the inner loop begins, or gets one in every step before it is read."""
    early = set(written(shape.before, shape.start))
    for variable in found:
        if variable.given:
            continue
        if variable.name in early or variable.declared == "header":
            raise Refusal(f"{variable.name} may have no value when the inner loop begins")
        if variable.is_used:
            check_set_first(variable, shape)
    if shape.declares and {d.name for d in shape.start.nodes} - {v.name for v in found if v.given}:
        raise Refusal("the header of its inner loop declares what nothing uses")


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


def _check_place(subject: Subject, shape: Shape) -> None:
    """What the loop must not be, whatever its inner loop does."""
    facts, text = subject.facts, subject.span.of(subject.text)
    if facts.conditions or subject.kernel.conditions:
        raise Refusal("it holds on a condition only")
    last = subject.scalars("lastprivate", "firstprivate")
    if last or subject.kept_iterators():
        raise Refusal("a variable has a value that comes from another iteration, or goes there")
    check_text(subject, text)
    macros = {*names_in(text), *subject.macro_names(text)}
    if hides_statements(filter(None, map(subject.macro_body, macros))):
        raise Refusal("a macro hides statements")
    reduced = {names_in(reduction.variable)[0] for reduction in facts.reductions}
    reduced |= {reduction.array for reduction in subject.kernel.combined}
    if reduced & names(shape.before, shape.start, *shape.step):
        raise Refusal("what iterations combine is changed before the inner loop ends")
    if subject.unit.words & FLAGS:
        raise Refusal("the file looks at floating-point flags, which lanes that stay behind may raise")


def _check_step(subject: Subject, shape: Shape, types: dict[str, str]) -> None:
    """What a step must not do."""
    _check_names(subject, shape)
    arrays = frozenset(subject.arrays)
    rules = Rules(types, arrays)
    used = names(*shape.step)
    check_types(types, used)
    for node in (*shape.first.nodes, *shape.rest.nodes, *shape.update.nodes):
        rules.check_statement(node)
    for piece in (*shape.tests, *([shape.leave] if shape.leave else [])):
        rules.check_test(piece.nodes[0])
    for piece in shape.leading[0 if shape.test.nodes else 1 :]:
        check_ahead(piece.nodes[0], types)
    if shape.leave is not None:
        _check_rest(shape, types)
    if sum(map(_operations, shape.step)) < FEW:
        raise Refusal("a step of its inner loop computes too little")


def _check_names(subject: Subject, shape: Shape) -> None:
    own = [n.name for n in declarations(shape.before, shape.start, shape.after, *shape.step)]
    known = {s.name for s in subject.kernel.scalars} | set(subject.arrays) | subject.iterators
    twice = sorted(name for name in set(own) if own.count(name) > 1 or name in known)
    if twice:
        raise Refusal(f"{twice[0]} is declared twice")
    mine = set(own) | {s.name for s in subject.scalars("private")}
    others = sorted(set(written(*shape.step)) - mine)
    if others:
        raise Refusal(f"its inner loop changes {others[0]}, which is no variable of the iteration's own")
    functions = {n.name.name for p in shape.step for n in p.walk() if isinstance(n, c_ast.FuncCall)}
    for name in sorted(functions & FUNCTIONS.keys()):
        if subject.unit.defines(name) or subject.unit.macros.is_users(name):
            raise Refusal(f"{name}() is not that of C's library")


def _check_rest(shape: Shape, types: dict[str, str]) -> None:
    """What stands behind a `break` is done by lanes that have left the loop, too."""
    changes = Counter(written(*shape.step))
    once = tuple(
        node for piece in shape.tests for node in piece.nodes if all(changes[n] < 2 for n in names(piece))
    )
    for node in (*shape.rest.nodes, *shape.update.nodes):
        check_statement_ahead(node, types, once)
    for piece in shape.tests:
        check_ahead(piece.nodes[0], types)


def _operations(piece: Piece) -> int:
    kinds = (c_ast.BinaryOp, c_ast.Assignment, c_ast.FuncCall, c_ast.UnaryOp, c_ast.TernaryOp)
    plain = (n for n in piece.walk() if isinstance(n, c_ast.Assignment) and n.op == "=")
    return sum(isinstance(node, kinds) for node in piece.walk()) - len(list(plain))


def _mentions(piece: Piece) -> list[str]:
    return [n.name for n in piece.walk() if isinstance(n, c_ast.ID)]
