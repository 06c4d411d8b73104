"""Walks expressions: evaluates them symbolically and records the references that they make."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from typing import Any

from pycparser import c_ast, c_generator

from species.effects import Effects
from species.loops import expressions as ex
from species.loops.affine import Affine, Value, constant
from species.loops.conditions import TRUE, Both, Compare, Condition, Either, Unknown, compare, negated
from species.loops.environment import Environment, Key, Known, is_shared
from species.loops.expressions import NOTHING, Evaluated
from species.loops.modified import Scanner, writes_may_change
from species.loops.nest import Call, FunctionModel, Loop, Obstacle, Place, Pointer, Reference, Update
from species.loops.symbols import ALLOCATORS, Symbol
from species.loops.types import BIT_FIELD, DOUBLE, INT, SIZE, UNKNOWN, CType

_RELATIONS = ("<", "<=", ">", ">=", "==", "!=")
_numbers = count()


class Evaluator:
    """The expression half of the walker; `walker.Walker` adds the statements."""

    _blocks = count(1)

    def __init__(self, scanner: Scanner, resolution: Any, types: Any, effects: Effects) -> None:
        self.scanner, self.resolution, self.types, self.effects = scanner, resolution, types, effects
        self.model = FunctionModel("", None)
        self.env = Environment()
        self.loops: list[Loop] = []
        self.conditions: list[Condition] = []
        self.block: tuple[int, ...] = ()
        self.updates: dict[int, Update] = {}
        self.quiet = False
        self._generator = c_generator.CGenerator()

    # State

    @property
    def loop_numbers(self) -> tuple[int, ...]:
        return self.loops[-1].path if self.loops else ()

    @property
    def loop_set(self) -> frozenset[int]:
        return frozenset(self.loop_numbers)

    @property
    def facts(self) -> tuple[Condition, ...]:
        return tuple(self.conditions)

    @contextmanager
    def assuming(self, *conditions: Condition) -> Iterator[None]:
        """Within the block the conditions hold; what was learnt inside is dropped after it."""
        depth = len(self.conditions)
        self.conditions.extend(c for c in conditions if c != TRUE)
        yield
        del self.conditions[depth:]

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Nothing is recorded within the block."""
        before, self.quiet = self.quiet, True
        with self.assuming():
            yield
        self.quiet = before

    def symbol(self, node: Any) -> Symbol | None:
        return self.resolution.symbols.get(id(node))  # type: ignore[no-any-return]

    def fresh(self, text: str, ctype: CType, why: str) -> Affine:
        """An integer that nobody knows, new at every evaluation."""
        return Affine.of(Value(("new", next(_numbers)), self.loop_set, text, ctype, why))

    def text(self, node: Any) -> str:
        return str(self._generator.visit(node))

    def obstacle(self, code: str, message: str, node: Any, loops: list[Loop] | None = None) -> None:
        if not self.quiet:
            for loop in self.loops if loops is None else loops:
                loop.obstacles.append(Obstacle(code, message, node))

    # Recording

    def record(self, place: Place, write: bool, node: Any) -> None:
        if self.quiet:
            return
        if place.symbol.ctype.volatile or place.ctype.volatile:
            self.obstacle("CV304", f"'{place.name}' is volatile", node)
        if self.loops:
            update = self.updates.get(id(node))
            order = next(_numbers)
            self.model.references.append(
                Reference(place, write, self.facts, self.loop_numbers, node, order, update, self.block)
            )

    # Evaluation

    def integer(self, node: Any) -> tuple[Affine, CType]:
        """The value of an integer expression, opaque where nothing is known."""
        value, ctype = self.evaluate(node)
        if isinstance(value, Affine):
            return value, ctype
        ctype = ctype if ctype.is_integer else INT
        return self.fresh(self.text(node), ctype, "not affine"), ctype

    def evaluate(self, node: Any) -> Evaluated:
        """The value of an expression; everything that it reads and writes is recorded."""
        match node:
            case None:
                return NOTHING
            case c_ast.Constant():
                return ex.literal(node)
            case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return self._load(node)
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
                return self._call(node)
            case c_ast.ExprList():
                return [self.evaluate(e) for e in node.exprs][-1]
            case c_ast.Compound():
                return self._statement_expression(node)
        for _, child in node.children():
            self.evaluate(child)
        return NOTHING

    def _statement_expression(self, node: Any) -> Evaluated:
        self.obstacle("CV306", "a statement expression is not analysed", node)
        changed = self.scanner.modified(node)
        self.env.forget_where(changed.may_change, self.loop_set)
        for symbol in changed.symbols:
            self.env.forget(symbol, self.loop_set)
        return NOTHING

    def _load(self, node: Any) -> Evaluated:
        if isinstance(node, c_ast.ID) and node.name in self.types.constants and not self.symbol(node):
            return Evaluated(self._enumerator(node.name), INT)
        place = self.place(node)
        if place is None or place.ctype.kind == "function":
            return NOTHING
        if place.ctype.kind == "array" and not self._is_pointer_variable(place):
            return Evaluated(ex.decayed(place), place.ctype)
        self.record(place, False, node)
        return Evaluated(self._value(place), place.ctype)

    def _is_pointer_variable(self, place: Place) -> bool:
        """Array parameters are pointers."""
        return place.is_variable and place.symbol.storage == "parameter"

    def _value(self, place: Place) -> Known:
        if place.loose:
            return self.fresh(place.name, place.ctype, "memory") if place.ctype.is_integer else None
        if not place.is_variable:
            return self.env.get(place) if place.ctype.kind in ("int", "pointer") else None
        symbol = place.symbol
        if (
            symbol.ctype.const
            and symbol not in self.env.values
            and symbol.node is not None
            and symbol.scope is None
        ):
            folded = self._constant_initialiser(symbol)
            if folded is not None:
                return folded
        return self.env.get(symbol)

    def _constant_initialiser(self, symbol: Symbol) -> Affine | None:
        initialiser = getattr(symbol.node, "init", None)
        if initialiser is None or not symbol.ctype.is_integer:
            return None
        with self.quietly():
            value = self.evaluate(initialiser).value
        return value if isinstance(value, Affine) and value.is_constant else None

    def _enumerator(self, name: str) -> Affine:
        if self.types.constants[name] is None:
            return self.fresh(name, INT, "not affine")
        expression, previous = self.types.constants[name]
        if expression is not None:
            value = self.evaluate(expression).value
            return value if isinstance(value, Affine) else self.fresh(name, INT, "not affine")
        return self._enumerator(previous) + 1 if previous else constant(0)

    # Places

    def place(self, node: Any) -> Place | None:
        """The place that an lvalue means; what is read on the way there is recorded."""
        match node:
            case c_ast.ID():
                symbol = self.symbol(node)
                return Place(symbol, ctype=symbol.ctype) if symbol else None
            case c_ast.ArrayRef():
                return self._element(node)
            case c_ast.UnaryOp(op="*"):
                return self._target(self.evaluate(node.expr), constant(0), node)
            case c_ast.StructRef():
                return self._member(node)
        self.evaluate(node)
        return self._somewhere(node)

    def _somewhere(self, node: Any, ctype: CType = UNKNOWN) -> Place:
        """A place of which nothing is known."""
        symbol = Symbol(self.text(node), ctype, "memory", exposed=True)
        base = Value(("new", next(_numbers)), self.loop_set, symbol.name, INT, "memory")
        return Place(symbol, (), base, ctype, loose=True)

    def _element(self, node: c_ast.ArrayRef) -> Place:
        base = self.evaluate(node.name)
        if not isinstance(base.value, Pointer) and base.ctype.is_integer:
            base, index = self.evaluate(node.subscript), self.integer(node.name)[0]
        else:
            index = self.integer(node.subscript)[0]
        return self._target(base, index, node)

    def _target(self, pointer: Evaluated, index: Affine, node: Any) -> Place:
        if not isinstance(pointer.value, Pointer):
            return self._somewhere(node, pointer.ctype.target or UNKNOWN)
        return ex.dereferenced(pointer.value, index)

    def _member(self, node: c_ast.StructRef) -> Place:
        if node.type == "->":
            owner: Place | None = self._target(self.evaluate(node.name), constant(0), node)
        else:
            owner = self.place(node.name)
        if owner is None:
            return self._somewhere(node)
        ctype = self.types.member(owner.ctype, node.field.name)
        if owner.ctype.volatile:
            ctype = replace(ctype, volatile=True)
        # A member of an anonymous union is not found in its owner: it may overlap its neighbours.
        apart = owner.ctype.kind != "union" and ctype.text != BIT_FIELD and ctype.kind != "unknown"
        if owner.loose or not apart:
            return replace(owner, ctype=ctype, loose=True)
        return replace(owner, path=(*owner.path, node.field.name), ctype=ctype)

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
        return self._apply(operator, Evaluated(self._value(place), place.ctype), right)

    def store(self, place: Place | None, result: Evaluated, node: Any) -> Evaluated:
        """Assigns to a place: records the write and updates what is known."""
        if place is None:
            return NOTHING
        self.record(place, True, node)
        value = self._stored(result, place.ctype)
        if place.is_variable:
            self._set(place.symbol, value)
            self._note_allocation(place.symbol)
            if is_shared(place.symbol) or not place.symbol.is_scalar:
                self._spread(place)
        else:
            self._spread(place)
            if not place.loose and isinstance(value, Affine):
                self.env.values[place] = value
        return Evaluated(value, place.ctype)

    def _stored(self, result: Evaluated, ctype: CType) -> Known:
        value = result.value
        if ctype.is_integer and isinstance(value, Affine) and result.ctype.is_integer:
            return ex.convert(value, result.ctype, ctype, self.facts)
        if ctype.kind in ("pointer", "array") and isinstance(value, Pointer):
            inner_row = any(isinstance(step, Affine) for step in value.place.path)
            retyped = (ctype.target or UNKNOWN).text != value.target.text
            return ex.loosened(value, ctype.target) if inner_row or retyped else value
        return None

    def _set(self, symbol: Symbol, value: Known) -> None:
        moved = isinstance(value, Pointer) and (symbol.is_single_allocation or value.place.symbol is symbol)
        if value is None or moved:  # what is reached from here on is named by the variable as it is now
            self.env.forget(symbol, self.loop_set)
        else:
            self.env.values[symbol] = value

    def _note_allocation(self, symbol: Symbol) -> None:
        """`p = malloc(n * sizeof(double))`: p has n elements."""
        if not symbol.is_single_allocation or symbol in self.model.extents or symbol.ctype.target is None:
            return
        arguments = symbol.allocation.args.exprs if symbol.allocation.args else []
        with self.quietly():
            sizes = [self.integer(a)[0] for a in arguments]
        element = self._bytes(symbol.ctype.target)
        if symbol.allocation.name.name == "calloc" and len(sizes) == 2 and sizes[1] == element:
            self.model.extents[symbol] = (sizes[0],)
        elif (
            len(sizes) == 1
            and element.is_constant
            and all(c % element.constant == 0 for _, c in sizes[0].terms)
        ):
            terms = frozenset((a, c // element.constant) for a, c in sizes[0].terms)
            self.model.extents[symbol] = (Affine(terms, sizes[0].constant // element.constant),)

    def _spread(self, place: Place) -> None:
        """Forgets what a write of `place` may have changed elsewhere."""

        def changed(key: Key) -> bool:
            if isinstance(key, Symbol) and (key is place.symbol or place.is_variable):
                return False
            return writes_may_change(place.symbol, place.ctype, key)

        self.env.forget_where(changed, self.loop_set)

    def _binary(self, node: c_ast.BinaryOp) -> Evaluated:
        if node.op in ("&&", "||", *_RELATIONS):
            self.condition(node)
            return Evaluated(None, INT)
        return self._apply(node.op, self.evaluate(node.left), self.evaluate(node.right))

    def _apply(self, operator: str, left: Evaluated, right: Evaluated) -> Evaluated:
        if isinstance(left.value, Pointer) or isinstance(right.value, Pointer):
            return self._pointer_arithmetic(operator, left, right)
        if left.ctype.is_integer and right.ctype.is_integer:
            left = left if left.value is not None else Evaluated(self._nameless(left.ctype), left.ctype)
            right = right if right.value is not None else Evaluated(self._nameless(right.ctype), right.ctype)
            return ex.arithmetic(operator, left, right, self.facts)
        return Evaluated(None, DOUBLE if "float" in (left.ctype.kind, right.ctype.kind) else UNKNOWN)

    def _nameless(self, ctype: CType) -> Affine:
        return self.fresh("?", ctype, "not affine")

    def _pointer_arithmetic(self, operator: str, left: Evaluated, right: Evaluated) -> Evaluated:
        if operator == "+" and isinstance(right.value, Pointer):
            left, right = right, left
        if isinstance(left.value, Pointer) and isinstance(right.value, Affine) and operator in "+-":
            by = right.value if operator == "+" else -right.value
            return Evaluated(ex.moved(left.value, by), left.ctype.decayed)
        if isinstance(left.value, Pointer) and operator in "+-" and right.value is None:
            return Evaluated(ex.loosened(left.value), left.ctype.decayed)
        return Evaluated(None, CType("int", "long", 64))

    def _unary(self, node: c_ast.UnaryOp) -> Evaluated:
        match node.op:
            case "&":
                return self._address(node.expr)
            case "++" | "p++" | "--" | "p--":
                return self._increment(node)
            case "-":
                return self._apply("-", Evaluated(constant(0), INT), self.evaluate(node.expr))
            case "+":
                return self.evaluate(node.expr)
            case "!":
                self.condition(node)
                return Evaluated(None, INT)
            case "sizeof":
                return Evaluated(self._size(node.expr), SIZE)
        self.evaluate(node.expr)
        return Evaluated(None, INT)

    def _size(self, node: Any) -> Affine:
        """`sizeof node`, for a type name or an expression."""
        ctype = self.types.resolve(node) if isinstance(node, c_ast.Typename) else self.scanner.type_of(node)
        size = self._bytes(ctype)
        if size.is_constant:
            return size
        return Affine.of(Value(("sizeof", self.text(node)), frozenset(), f"sizeof({self.text(node)})", SIZE))

    def _bytes(self, ctype: CType) -> Affine:
        """The size of a type: known for arithmetic types, else opaque."""
        if ctype.kind in ("int", "float") and ctype.bits and not ctype.text.startswith("long double"):
            return constant(max(1, ctype.bits // 8))
        return Affine.of(Value(("sizeof", ctype.text), frozenset(), f"sizeof({ctype.text})", SIZE))

    def _address(self, node: Any) -> Evaluated:
        place = self.place(node)
        if place is None:
            return NOTHING
        ctype = CType("pointer", f"{place.ctype.text} *", target=place.ctype)
        last = place.path[-1] if place.path else None
        inner_row = any(isinstance(step, Affine) for step in place.path[:-1])
        if place.loose or inner_row or not isinstance(last, Affine):
            return Evaluated(ex.loosened(Pointer(place, Affine(), place.ctype)), ctype)
        return Evaluated(Pointer(replace(place, path=place.path[:-1]), last, place.ctype), ctype)

    def _increment(self, node: c_ast.UnaryOp) -> Evaluated:
        place = self.place(node.expr)
        if place is None:
            return NOTHING
        before = Evaluated(self._value(place), place.ctype)
        operator = "+" if "+" in node.op else "-"
        after = self._updated(place, node.expr, operator, Evaluated(constant(1), INT))
        stored = self.store(place, after, node.expr)
        return before if node.op.startswith("p") else stored

    def _cast(self, node: c_ast.Cast) -> Evaluated:
        ctype = self.types.resolve(node.to_type)
        inner = self.evaluate(node.expr)
        if ctype.is_integer:
            if isinstance(inner.value, Affine) and inner.ctype.is_integer:
                return Evaluated(ex.convert(inner.value, inner.ctype, ctype, self.facts), ctype)
            return Evaluated(self.fresh(self.text(node), ctype, "not affine"), ctype)
        if ctype.kind == "pointer" and isinstance(inner.value, Pointer):
            if (ctype.target or UNKNOWN).text == inner.value.target.text:
                return Evaluated(inner.value, ctype)
            return Evaluated(ex.loosened(inner.value, ctype.target), ctype)
        return Evaluated(None, ctype)

    def _call(self, node: c_ast.FuncCall) -> Evaluated:
        name = node.name.name if isinstance(node.name, c_ast.ID) else self.text(node.name)
        arguments = [self.evaluate(a) for a in node.args.exprs] if node.args else []
        effect = self.effects.of_call(node)
        for argument in arguments:
            self._read_through(argument, node)
        if effect != "pure" and not self.quiet:
            self.model.calls.append(Call(name, effect, node, self.loop_numbers))
        if effect not in ("pure", "output"):
            self.env.forget_where(lambda key: isinstance(key, Place) or is_shared(key), self.loop_set)
        if name in ALLOCATORS or effect == "unknown":
            return NOTHING
        return Evaluated(None, self._result_type(name, arguments))

    def _read_through(self, argument: Evaluated, node: Any) -> None:
        """A callee may read (and, unless it is known, write) what a pointer argument points to."""
        if isinstance(argument.value, Pointer) and not self.quiet and self.loops:
            place = ex.loosened(argument.value).place
            self.record(replace(place, ctype=argument.value.target), False, node)

    def _result_type(self, name: str, arguments: list[Evaluated]) -> CType:
        symbol = self.resolution.functions.get(name)
        if symbol is not None:
            result: CType = self.types.resolve(symbol.decl.type.type)
            return result
        integral = name in ("abs", "labs", "llabs", "lround", "lroundf", "llround", "lrint", "llrint")
        return (
            (INT if name == "abs" else CType("int", "long", 64)) if integral or name[:2] == "is" else DOUBLE
        )

    # Choices and conditions

    @contextmanager
    def branch(self, condition: Condition) -> Iterator[None]:
        """Code that is executed where `condition` holds."""
        before, self.block = self.block, (*self.block, next(self._blocks))
        with self.assuming(condition):
            yield
        self.block = before

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
        with self._perhaps(node.iftrue, condition):
            left = self.evaluate(node.iftrue)
        with self._perhaps(node.iffalse, negated(condition)):
            right = self.evaluate(node.iffalse)
        if left.value == right.value:
            return left
        if not (isinstance(left.value, Affine) and isinstance(right.value, Affine)):
            return Evaluated(None, left.ctype if left.ctype.kind != "int" else right.ctype)
        ctype = ex.common_type(left.ctype, right.ctype)
        chosen = self.fresh(self.text(node), ctype, "a choice")
        cases = ((condition, left), (negated(condition), right))
        values = [(c, ex.convert(v.value, v.ctype, ctype, (*self.facts, c))) for c, v in cases]  # type: ignore[arg-type]
        self.conditions.append(Either(tuple(Both((c, Compare(chosen - v, True))) for c, v in values)))
        return Evaluated(chosen, ctype)

    def condition(self, node: Any) -> Condition:
        """The condition that an expression is not zero; its references are recorded."""
        match node:
            case c_ast.BinaryOp(op="&&"):
                left = self.condition(node.left)
                with self._perhaps(node.right, left):
                    right = self.condition(node.right)
                return Both((left, right))
            case c_ast.BinaryOp(op="||"):
                left = self.condition(node.left)
                with self._perhaps(node.right, negated(left)):
                    right = self.condition(node.right)
                return Either((left, right))
            case c_ast.UnaryOp(op="!"):
                return negated(self.condition(node.expr))
            case c_ast.BinaryOp() if node.op in _RELATIONS:
                return self._comparison(node.left, node.op, node.right)
        value, _ = self.evaluate(node)
        if isinstance(value, Affine):
            return compare(value, "!=", constant(0))
        return Unknown("condition on data")

    def _comparison(self, left: Any, operator: str, right: Any) -> Condition:
        for side, other, swapped in ((left, right, False), (right, left, True)):
            if isinstance(side, c_ast.TernaryOp) and not self.scanner.modified(other).anything:
                return self._split(side, operator, other, swapped)
        a, b = self.evaluate(left), self.evaluate(right)
        if not (isinstance(a.value, Affine) and isinstance(b.value, Affine)):
            return Unknown("condition on data")
        ctype = ex.common_type(a.ctype, b.ctype)
        x = ex.convert(a.value, a.ctype, ctype, self.facts)
        y = ex.convert(b.value, b.ctype, ctype, self.facts)
        return compare(x, operator, y)

    def _split(self, choice: c_ast.TernaryOp, operator: str, other: Any, swapped: bool) -> Condition:
        """`(c ? a : b) < e` holds where c and a < e, or not c and b < e."""
        chosen = self.condition(choice.cond)
        cases = []
        for condition, branch in ((chosen, choice.iftrue), (negated(chosen), choice.iffalse)):
            with self._perhaps(branch, condition):
                sides = (other, operator, branch) if swapped else (branch, operator, other)
                cases.append(Both((condition, self._comparison(*sides))))
        return Either(tuple(cases))
