"""Whether the iterations of a loop may run side by side, and whether that pays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pycparser import c_ast

from skeletons.body.outer_vectorisation.rules import Rules, check_types
from skeletons.body.outer_vectorisation.shape import Piece, Shape
from skeletons.body.outer_vectorisation.speculation import check_ahead, check_statement_ahead
from skeletons.body.outer_vectorisation.types import FUNCTIONS
from skeletons.body.outer_vectorisation.values import Variable, check_set_first, declarations, names, written
from skeletons.kernel.chunks import check_text
from skeletons.kernel.context import Subject
from species.core.refusal import Refusal
from species.source.syntax.statement_tree import hides_statements
from species.source.syntax.tree import walk
from species.source.text.code import names_in

FEW = 5  # operations of a step: less is sooner done than kept for lanes
BESIDE = 4  # operations more than elements of arrays, of which every lane reads its own
FLAGS = frozenset({"fetestexcept", "feenableexcept", "fegetexceptflag", "feraiseexcept", "FENV_ACCESS"})


def validate(subject: Subject, shape: Shape, types: Mapping[str, str], found: tuple[Variable, ...]) -> None:
    """Refusal for what stands in the way; `types` by name, `found` the iteration's own variables."""
    _check_length(shape)
    _check_place(subject, shape)
    _check_values(shape, found)
    _check_names(subject, shape)
    _check_step(subject, shape, types)


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


def _check_place(subject: Subject, shape: Shape) -> None:
    """What the loop must not be, whatever its inner loop does."""
    facts, text = subject.facts, subject.span.of(subject.text)
    if facts.conditions or subject.kernel.conditions:
        raise Refusal("it is parallel on a condition only")
    last = subject.scalars("lastprivate", "firstprivate")
    if last or subject.kept_iterators():
        raise Refusal("a variable carries a value between iterations")
    check_text(subject, text)
    macros = {*names_in(text), *subject.macro_names(text)}
    bodies = list(filter(None, map(subject.macro_body, macros)))
    if hides_statements(bodies) or any(sign in body for body in bodies for sign in ("&&", "||", "?")):
        raise Refusal("a macro hides statements, or conditions")
    reduced = {names_in(reduction.variable)[0] for reduction in facts.reductions}
    reduced |= {reduction.array for reduction in subject.kernel.combined}
    if reduced & names(shape.before, shape.start, *shape.step):
        raise Refusal("what iterations combine is changed before the inner loop ends")
    if subject.unit.words & FLAGS:
        raise Refusal("the file reads floating-point flags, which idle lanes may raise")


def _check_step(subject: Subject, shape: Shape, types: Mapping[str, str]) -> None:
    """What a step must not do."""
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
    operations = sum(map(_operations, shape.step))
    elements = sum(len(_elements(piece)) for piece in shape.step)
    if operations < FEW or operations - elements < BESIDE:
        raise Refusal("its inner loop does too little arithmetic")


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
        if subject.unit.defines(name) or name in subject.unit.macros.users:
            raise Refusal(f"{name}() is not that of C's library")


def _check_rest(shape: Shape, types: Mapping[str, str]) -> None:
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
    """How much arithmetic there is, beside that of subscripts."""
    subscripts = {id(part) for element in _elements(piece) for part in walk(element.subscript)}
    own = [node for node in piece.walk() if id(node) not in subscripts]
    kinds = (c_ast.BinaryOp, c_ast.Assignment, c_ast.FuncCall, c_ast.UnaryOp, c_ast.TernaryOp)
    plain = [node for node in own if isinstance(node, c_ast.Assignment) and node.op == "="]
    return sum(isinstance(node, kinds) for node in own) - len(plain)


def _elements(piece: Piece) -> list[c_ast.ArrayRef]:
    return [node for node in piece.walk() if isinstance(node, c_ast.ArrayRef)]
