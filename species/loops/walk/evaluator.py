"""Walks expressions: evaluates them symbolically and records the references that they make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from pycparser import c_ast

from species.loops import expressions as ex
from species.loops.environment import Known
from species.loops.expressions import NOTHING, Evaluated
from species.loops.invariants import LIMIT
from species.loops.model import Place, Pointer
from species.loops.walk.alternatives import Alternatives
from species.loops.walk.calls import Calls
from species.loops.walk.lookups import limits_of, table_of
from species.loops.walk.nulls import is_null, is_zero, null_pointer, points_somewhere
from species.sets.affine import CHOSEN, Affine, Atom, constant
from species.sets.conditions import (
    FALSE,
    TRUE,
    Both,
    Compare,
    Condition,
    Either,
    Fact,
    Unknown,
    compare,
    joined,
    leaves,
    negated,
    of_extreme,
)
from species.sets.domains import always
from species.sets.modular import flat, is_size
from species.sets.ranges import range_of
from species.sets.truths import choice_of, chosen_among, limits, truth_of
from species.source.syntax.tree import walk
from species.symbols.types import DOUBLE, INT, LONG, LONG_DOUBLE, SIZE, UNKNOWN, CType
from species.symbols.update_idioms import is_evaluated

_Cases = Sequence[tuple[tuple[Condition, ...], Known]]  # of a choice: what holds there, and its value
_RELATIONS = ("<", "<=", ">", ">=", "==", "!=")


class Evaluator(Calls):
    """The expression half of the walker; `walker.Walker` adds the statements."""

    def evaluate(self, node: Any) -> Evaluated:
        """The value of an expression; everything that it reads and writes is recorded."""
        self.effort.take(1)
        match node:
            case None:
                return NOTHING
            case c_ast.Constant():
                return ex.literal(node)
            case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return self._looked_up(self.load(node))
            case c_ast.Assignment():
                return self._assignment(node)
            case c_ast.BinaryOp():
                return self._binary(node)
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.TernaryOp():
                return self._ternary(node)
            case c_ast.Cast():
                return self._cast(node)
            case c_ast.FuncCall():
                return self.call(node)
            case c_ast.ExprList():
                return [self.evaluate(e) for e in node.exprs][-1]
            case c_ast.Compound():
                return self._statement_expression(node)
            case c_ast.CompoundLiteral(init=c_ast.InitList()):
                ctype = self.types.resolve(node.type)
                if ctype.kind == "struct":
                    return self.aggregate(node.init, ctype)
        for child in node:
            self.evaluate(child)
        return NOTHING

    def _statement_expression(self, node: Any) -> Evaluated:
        self.obstacle("CV306", "a statement expression is not analysed", node)
        changed = self.scanner.modified(node)
        self.env.forget_where(changed.may_change, self.loop_set, changed.only_by_pointer)
        for symbol in changed.symbols:
            self.env.forget(symbol, self.loop_set)
        return NOTHING

    # Operators

    def _assignment(self, node: c_ast.Assignment) -> Evaluated:
        if node.op == "=":
            result = self.evaluate(node.rvalue)
            place = self.place(node.lvalue)
        else:
            right = self.evaluate(node.rvalue)
            place = self.place(node.lvalue)
            result = self._updated(place, node.lvalue, node.op[:-1], right)
        return self.store(place, result, node.lvalue)

    def _updated(self, place: Place | None, node: Any, operator: str, right: Evaluated) -> Evaluated:
        """The value of `place operator right`, for compound assignments and increments."""
        if place is None:
            return NOTHING
        self.record(place, False, node)
        return self._apply(operator, Evaluated(self.value_at(place), place.ctype), right)

    def _binary(self, node: c_ast.BinaryOp) -> Evaluated:
        if _is_truth(node):
            return self._truth(node)
        return self._apply(node.op, self.evaluate(node.left), self.evaluate(node.right))

    def _apply(self, operator: str, left: Evaluated, right: Evaluated) -> Evaluated:
        if isinstance(left.value, Pointer) or isinstance(right.value, Pointer):
            return self._pointer_arithmetic(operator, left, right)
        if left.ctype.is_integer and right.ctype.is_integer:
            self.effort.take(len(self.conditions))  # they are asked whether it wraps around
            left = left if left.value is not None else Evaluated(self._nameless(left.ctype), left.ctype)
            right = right if right.value is not None else Evaluated(self._nameless(right.ctype), right.ctype)
            return self._ranged(self._noted(ex.arithmetic(operator, left, right, self.facts)))
        floats = [t for t in (left.ctype, right.ctype) if t.kind == "float"]
        wide = any(t.bits > DOUBLE.bits for t in floats)
        return Evaluated(None, (LONG_DOUBLE if wide else DOUBLE) if floats else UNKNOWN)

    def _noted(self, result: Evaluated) -> Evaluated:
        """Enters a sum without a sign that may be too large for its type (see `loops.unsigned_bounds`)."""
        wide = result.ctype.unsigned and result.ctype.bits >= 64
        if wide and isinstance(result.value, Affine) and result.value.terms:
            self.model.assumed.add(result.value)
        return result

    def _ranged(self, result: Evaluated) -> Evaluated:
        """Enters between what a remainder, a quotient or a mask lies."""
        limits = range_of(result.value, self.facts) if isinstance(result.value, Affine) else None
        if limits is not None:
            self._learn(limits)
        return result

    def _looked_up(self, result: Evaluated) -> Evaluated:
        """Enters between what a number of a table of constants lies."""
        table = table_of(result.value)
        if table is None or not isinstance(result.value, Affine):
            return result
        if table not in self.limits:
            self.limits[table] = limits_of(table, partial(self._constant, table.ctype.element))
        found, value = self.limits[table], next(iter(result.value.atoms()))
        if found is not None:
            low, high = found
            between = Compare(result.value - low), Compare(-result.value + high)
            self._learn(Fact((Both(between),), value))
        return result

    def _constant(self, ctype: CType, node: Any) -> int | None:
        """The number that a constant expression leaves in a variable."""
        with self.quietly():
            value = self.stored(self.evaluate(node), ctype)
        return value.constant if isinstance(value, Affine) and value.is_constant else None

    def _limited_values(self) -> set[Atom]:
        return {c.value for c in self.conditions if isinstance(c, Fact)}

    def _nameless(self, ctype: CType) -> Affine:
        return self.fresh("?", ctype, "not affine")

    def _pointer_arithmetic(self, operator: str, left: Evaluated, right: Evaluated) -> Evaluated:
        if operator == "+" and isinstance(right.value, Pointer):
            left, right = right, left
        if is_null(left.value) and right.value != constant(0):
            return Evaluated(None, left.ctype)  # `(char *)0 + address` is some people's cast
        if isinstance(left.value, Pointer) and isinstance(right.value, Affine) and operator in "+-":
            by = flat(right.value if operator == "+" else -right.value)
            return Evaluated(ex.moved(left.value, by), left.ctype.decayed)
        if isinstance(left.value, Pointer) and operator in "+-" and right.value is None:
            return Evaluated(ex.loosened(left.value), left.ctype.decayed)
        both = isinstance(left.value, Pointer) and isinstance(right.value, Pointer) and operator == "-"
        return Evaluated(ex.distance(left.value, right.value) if both else None, LONG)  # type: ignore[arg-type]

    def _unary(self, node: c_ast.UnaryOp) -> Evaluated:
        match node.op:
            case "&":
                return self._address(node.expr)
            case "++" | "p++" | "--" | "p--":
                return self._increment(node)
            case "-":
                return self._apply("-", Evaluated(constant(0), INT), self.evaluate(node.expr))
            case "+":
                return self._apply("+", Evaluated(constant(0), INT), self.evaluate(node.expr))
            case "~":
                return self._complement(self.evaluate(node.expr))
            case "!":
                return self._truth(node)
            case "sizeof":
                return self._size_of(node.expr)
        self.evaluate(node.expr)
        return NOTHING

    def _complement(self, operand: Evaluated) -> Evaluated:
        """`~x` is -1 - x, in the type that x is promoted to."""
        if not operand.ctype.is_integer:
            return NOTHING
        ctype = ex.promoted(operand.ctype)
        ones = constant(ctype.value_range[1] if ctype.unsigned else -1)
        return self._apply("-", Evaluated(ones, ctype), operand)

    def _size_of(self, node: Any) -> Evaluated:
        """`sizeof`, which evaluates lengths of arrays, and operands whose type has some."""
        if isinstance(node, c_ast.Typename):
            self.read_lengths(node.type)
        elif is_evaluated(node):
            with self._perhaps(node, Unknown("an operand of sizeof")):
                self.evaluate(node)
        return Evaluated(self.size(node), SIZE)

    def read_lengths(self, declarator: Any) -> None:
        """Evaluates the lengths of arrays in a type, once, and keeps them: what they depend on may change."""
        while isinstance(declarator, c_ast.ArrayDecl | c_ast.PtrDecl | c_ast.FuncDecl):
            if isinstance(declarator, c_ast.ArrayDecl) and isinstance(declarator.dim, c_ast.Node):
                self.lengths[id(declarator.dim)] = self.evaluate(declarator.dim).value
            declarator = declarator.type

    def _address(self, node: Any) -> Evaluated:
        place = self.place(node)
        if place is None:
            return NOTHING
        self.note_peculiar(place.symbol, node)
        ctype = CType("pointer", f"{place.ctype.text} *", target=place.ctype)
        return Evaluated(ex.address(place), ctype)

    def _increment(self, node: c_ast.UnaryOp) -> Evaluated:
        place = self.place(node.expr)
        if place is None:
            return NOTHING
        before = Evaluated(self.value_at(place), place.ctype)
        operator = "+" if "+" in node.op else "-"
        after = self._updated(place, node.expr, operator, Evaluated(constant(1), INT))
        stored = self.store(place, after, node.expr)
        return before if node.op.startswith("p") else stored

    def _cast(self, node: c_ast.Cast) -> Evaluated:
        ctype = self.types.resolve(node.to_type)
        self.read_lengths(getattr(node.to_type, "type", None))
        inner = self.evaluate(node.expr)
        if ctype.is_integer:
            if isinstance(inner.value, Affine) and inner.ctype.is_integer:
                return Evaluated(ex.convert(inner.value, inner.ctype, ctype, self.facts), ctype)
            return Evaluated(self.opaque(node, ctype, "not affine"), ctype)
        if ctype.kind == "pointer" and isinstance(inner.value, Pointer) and not is_null(inner.value):
            if ex.is_same_type(ctype.target or UNKNOWN, inner.value.target, self.of_one_length):
                return Evaluated(ex.retyped(inner.value, ctype.target or UNKNOWN), ctype)
            return Evaluated(ex.viewed(inner.value, ctype.target), ctype)
        if ctype.kind == "pointer" and is_zero(inner.value, inner.ctype):
            return Evaluated(null_pointer(ctype.target), ctype)
        return Evaluated(None, ctype)

    # Choices and conditions

    @contextmanager
    def _perhaps(self, node: Any, condition: Condition) -> Iterator[None]:
        """As `branch`, for a part of an expression: what it changes may be unchanged after it."""
        before = self.env.copy() if self.scanner.modified(node).anything else None
        with self.branch(condition):
            yield
        if before is not None:
            self.env.merge(before, self.loop_set)

    def _ternary(self, node: c_ast.TernaryOp) -> Evaluated:
        condition = self.condition(node.cond)
        if condition in (TRUE, FALSE):
            return self.evaluate(node.iftrue if condition == TRUE else node.iffalse)
        left, first = self._case(node.iftrue, condition)
        right, second = self._case(node.iffalse, negated(condition))
        if left == right:
            return left
        ctype = ex.type_of_choice(left.ctype, right.ctype)
        cases = ((condition, *first), left.value), ((negated(condition), *second), right.value)
        if isinstance(left.value, Pointer) and isinstance(right.value, Pointer):
            return Evaluated(self.either(left.value, right.value, cases), ctype)
        if not (isinstance(left.value, Affine) and isinstance(right.value, Affine)):
            return Evaluated(None, ctype)
        types = left.ctype, right.ctype
        values = [
            (c, ex.convert(v, t, ctype, (*self.facts, *c)))  # type: ignore[arg-type]
            for (c, v), t in zip(cases, types, strict=True)
        ]
        chosen = self._chosen(ctype, values)
        if chosen is None:
            chosen = self.opaque(node, ctype, CHOSEN)
            self._learn(chosen_among(chosen, values, self.facts))
        return Evaluated(chosen, ctype)

    def _chosen(self, ctype: CType, values: Sequence[tuple[tuple[Condition, ...], Affine]]) -> Affine | None:
        """One of two numbers, each of which is meant where its first condition holds; None: nameless."""
        condition = values[0][0][0]
        decided = next((value for c, value in values if always(c[0], self.facts)), None)
        if decided is not None:
            return decided
        plain = all(is_size(atom) for _, v in values for atom in v.atoms())
        if not plain or not _is_compared(condition):
            return None
        chosen = choice_of(ctype, condition, *(v for _, v in values))
        self._learn(chosen_among(chosen, values, self.facts))
        return chosen

    def either(self, left: Pointer, right: Pointer, cases: _Cases) -> Pointer | None:
        """One of two pointers, each of which is meant where its conditions hold; None: nameless."""

        def chosen(one: Affine, other: Affine) -> Affine | None:
            return self._chosen(LONG, [(c, v) for (c, _), v in zip(cases, (one, other), strict=True)])

        return Alternatives(chosen, self.env.get, self.of_one_length).pointer(left, right)

    def _truth(self, node: Any) -> Evaluated:
        """The value of a condition on numbers: 1 where it holds, else 0."""
        condition = self.condition(node)
        if condition in (TRUE, FALSE):
            return Evaluated(constant(int(condition == TRUE)), INT)
        if not _is_compared(condition):
            return Evaluated(None, INT)
        found = truth_of(condition)
        (value,) = found.atoms()
        cases = (condition, Compare(found - 1, True)), (negated(condition), Compare(found, True))
        self._learn(Fact(tuple(map(Both, cases)), value))
        return Evaluated(found, INT)

    def _learn(self, fact: Fact) -> None:
        """Enters what is known of a value, unless it is there."""
        if fact.value not in self._limited_values():
            self.conditions.append(fact)

    def note_limited(self, condition: Condition, new: Known, other: Known, then: Known) -> None:
        """Enters what `if (x > most) x = most` makes of a value: the smaller of two, or the larger."""
        if not (isinstance(new, Affine) and isinstance(other, Affine) and isinstance(then, Affine)):
            return
        limited = ([a for a in value.atoms() if a in self.limited] for value in (then, other))
        of_then, of_other = (tuple(self.limited[a] for a in atoms) for atoms in limited)
        if limits(condition, (of_then, then), (of_other, other)):
            cases = ((condition, *of_then), then), ((negated(condition), *of_other), other)
            fact = self.limited[next(iter(new.atoms()))] = chosen_among(new, cases, self.facts)
            self._learn(fact)

    def _case(self, node: Any, condition: Condition) -> tuple[Evaluated, tuple[Condition, ...]]:
        """A branch of a choice, and what evaluating it says of values that it chooses itself."""
        with self._perhaps(node, condition):
            depth = len(self.conditions)
            value = self.evaluate(node)
            return value, tuple(self.conditions[depth:])

    def condition(self, node: Any) -> Condition:
        """The condition that an expression is not zero; its references are recorded."""
        match node:
            case c_ast.BinaryOp(op="&&"):
                left = self.condition(node.left)
                with self._perhaps(node.right, left):
                    right = self.condition(node.right)
                return joined(Both, left, right)
            case c_ast.BinaryOp(op="||"):
                left = self.condition(node.left)
                with self._perhaps(node.right, negated(left)):
                    right = self.condition(node.right)
                return joined(Either, left, right)
            case c_ast.UnaryOp(op="!"):
                return negated(self.condition(node.expr))
            case c_ast.BinaryOp() if node.op in _RELATIONS:
                return self._comparison(node.left, node.op, node.right)
        value = self.evaluate(node).value
        if isinstance(value, Affine):
            return compare(value, "!=", constant(0))
        return points_somewhere(value) or Unknown("condition on data")

    def _comparison(self, left: Any, operator: str, right: Any) -> Condition:
        for side, other, swapped in ((left, right, False), (right, left, True)):
            choice = None if self.scanner.modified(other).anything else self.choice(side, other)
            if choice is not None:
                return self._split(choice, operator, other, swapped)
        if _is_truth(left) or _is_truth(right):
            for side in (left, right):
                (self.condition if _is_truth(side) else self.evaluate)(side)
            return Unknown("condition on conditions")  # that is what generated code has them compared for
        a, b = self.evaluate(left), self.evaluate(right)
        found = _compared_with_null(a, operator, b) or _compared_with_null(b, operator, a)
        if found is not None:
            return found
        if isinstance(a.value, Pointer) and isinstance(b.value, Pointer):
            distance = ex.distance(a.value, b.value)
            return compare(distance, operator, constant(0)) if distance else Unknown("pointers compared")
        if not (isinstance(a.value, Affine) and isinstance(b.value, Affine)):
            return self._limited(left, a, operator, right, b) or Unknown("condition on data")
        ctype = ex.common_type(a.ctype, b.ctype)
        if ctype.bits > 32 and self._is_bound(left):
            self.loops[-1].compared = ctype
        x = ex.convert(a.value, a.ctype, ctype, self.facts)
        y = ex.convert(b.value, b.ctype, ctype, self.facts)
        return compare(x, operator, y)

    def _limited(self, left: Any, a: Evaluated, operator: str, right: Any, b: Evaluated) -> Condition | None:
        """`i <= sqrt(n)`, the condition of a loop: the integers that a fixed number limits end somewhere.

        (Rounding keeps their order.)  Below all of them is the end where that number is none.
        """
        swapped = isinstance(b.value, Affine)
        whole, limit, node = (b, a, left) if swapped else (a, b, right)
        ordered = operator in ("<", "<=", ">", ">=") and self._is_bound(node)
        if not ordered or not isinstance(whole.value, Affine):
            return None
        if not whole.ctype.is_integer or limit.ctype.kind != "float":
            return None
        end = self.opaque(node, LONG, "a bound that is no integer", LIMIT)
        if end.loops & {self.loops[-1].number}:
            return None
        return compare(end, operator, whole.value) if swapped else compare(whole.value, operator, end)

    def _is_bound(self, node: Any) -> bool:
        """Does the expression stand in the condition of the innermost loop?"""
        header = self.loops[-1].node.cond if self.loops else None
        return header is not None and any(part is node for part in walk(header))

    def _split(self, choice: c_ast.TernaryOp, operator: str, other: Any, swapped: bool) -> Condition:
        """`(c ? a : b) < e` holds where c and a < e, or not c and b < e."""
        chosen = self.condition(choice.cond)
        cases = []
        for condition, branch in ((chosen, choice.iftrue), (negated(chosen), choice.iffalse)):
            with self._perhaps(branch, condition):
                sides = (other, operator, branch) if swapped else (branch, operator, other)
                cases.append((condition, self._comparison(*sides)))
        return of_extreme(*cases) or Either(tuple(Both(case) for case in cases))


def _is_truth(node: Any) -> bool:
    """Is the value of an expression 0 or 1, whether a condition holds?"""
    operators = ("&&", "||", *_RELATIONS, "!")
    return isinstance(node, c_ast.BinaryOp | c_ast.UnaryOp) and node.op in operators


def _compared_with_null(pointer: Evaluated, operator: str, other: Evaluated) -> Condition | None:
    """`p == NULL` or `p != NULL`, where that is certain."""
    known = points_somewhere(pointer.value) if is_zero(other.value, other.ctype) else None
    if known is None or operator not in ("==", "!="):
        return None
    return known if operator == "!=" else negated(known)


def _is_compared(condition: Condition) -> bool:
    """Are all its parts comparisons of numbers?  (There are some: constants need no evaluation.)"""
    found = leaves(condition)
    return bool(found) and all(isinstance(leaf, Compare) for leaf in found)
