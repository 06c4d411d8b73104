"""Recognises statements `x = x op e`: the candidates for reductions (theory.md section 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pycparser import c_ast

from species.source.syntax.tree import LEAVES, variables, walk

_COMPOUND = {"+=": "+", "-=": "+", "*=": "*", "&=": "&", "|=": "|", "^=": "^"}
_BINARY = ("+", "*", "&", "|", "^", "&&", "||")
_EXTREMES = {"fmax": "max", "fmin": "min", "fmaxf": "max", "fminf": "min", "fmaxl": "max", "fminl": "min"}
_NO_ARRAYS = (c_ast.Assignment, c_ast.BinaryOp, c_ast.FuncCall, c_ast.Cast, c_ast.TernaryOp, c_ast.ExprList)
_SWAPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_OPPOSITE = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}


@dataclass(frozen=True)
class Candidate:
    """An update: its operator, the nodes that name the target, and the expressions combined into it.

    `call` is the call of the function that does it, None for operators.  Of argmin and argmax, `with_it`
    are the other variables that are assigned, and `keeps` says whose values stay where several
    iterations are equal: those of the first, or of the last.  `fixed` are the other variables in `a[k][j]`
    where `k` alone is assigned: the comparison means nothing if they change.  `guarded` are the parts that
    are evaluated only as what the target is so far wants, in this order.
    """

    operator: str
    targets: tuple[Any, ...]
    operands: tuple[Any, ...]
    call: Any = None
    with_it: tuple[Any, ...] = ()
    keeps: str = ""
    fixed: tuple[Any, ...] = ()
    guarded: tuple[Any, ...] = ()


def same(a: Any, b: Any) -> bool:
    """Are two expressions the same text, blanks aside?"""
    if type(a) is not type(b):
        return False
    if any(getattr(a, n) != getattr(b, n) for n in a.attr_names):
        return False
    left, right = [c for _, c in a.children()], [c for _, c in b.children()]
    return len(left) == len(right) and all(same(x, y) for x, y in zip(left, right, strict=True))


def mentions(node: Any, name: str) -> bool:
    """Does the expression use the identifier?"""
    return any(n.name == name for n in variables(node))


def evaluated(node: Any) -> Iterator[Any]:
    """As `walk`, without what stands in a `sizeof` that does not evaluate it."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        is_size = isinstance(current, c_ast.UnaryOp) and current.op == "sizeof"
        if type(current) in LEAVES or (is_size and not is_evaluated(current.expr)):
            continue
        pending += reversed(list(current))


def root_name(node: Any) -> str | None:
    """The variable that an lvalue starts from."""
    while isinstance(node, c_ast.ArrayRef | c_ast.StructRef):
        node = node.name
    return node.name if isinstance(node, c_ast.ID) else None


def root(node: Any) -> Any:
    """The name that an lvalue, or the address of one, starts from."""
    while True:
        match node:
            case c_ast.ArrayRef() | c_ast.StructRef():
                node = node.name
            case c_ast.UnaryOp(op="*" | "&") | c_ast.Cast():
                node = node.expr
            case c_ast.BinaryOp(op="+" | "-"):
                node = node.left
            case _:
                return node


def target_name(node: Any) -> str | None:
    """As `root_name`, also of `*p`, which is `p[0]`."""
    followed = isinstance(node, c_ast.UnaryOp) and node.op == "*" and isinstance(node.expr, c_ast.ID)
    return root_name(node.expr if followed else node)


Functions = Mapping[str, c_ast.FuncDef]  # of the file, by name


def candidates(node: Any, functions: Functions) -> Iterator[Candidate]:
    """The updates that a statement makes; `s += a, t += b` makes two."""
    for part in node.exprs if isinstance(node, c_ast.ExprList) else [node]:
        found = candidate(part, functions)
        if found is not None:
            yield found


def candidate(node: Any, functions: Functions) -> Candidate | None:
    """The update that an expression statement or an `if` statement makes, if it makes one."""
    found = _of_statement(node, functions)
    if found is None or _has_side_effects(found.targets[0]):
        return None
    if any(map(_has_side_effects, found.operands)) and not _is_evaluated_once(node, found):
        return None
    if target_name(found.targets[0]) is None:
        return None
    # Other elements of an array may be combined in: the dependence test decides whether they are others.
    names = [t.name for t in (found.targets[0], *found.with_it) if isinstance(t, c_ast.ID)]
    used = any(mentions(o, name) for o in found.operands for name in names)
    return None if used or len(set(names)) != len(names) else found


def _of_statement(node: Any, functions: Functions) -> Candidate | None:
    if isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--"):
        return Candidate("+", (node.expr,), (c_ast.Constant("int", "1"),))
    if isinstance(node, c_ast.If):
        return _of_if(node)
    if not isinstance(node, c_ast.Assignment):
        return None
    if node.op in _COMPOUND:
        return Candidate(_COMPOUND[node.op], (node.lvalue,), (node.rvalue,))
    return _of_assignment(node.lvalue, node.rvalue, functions) if node.op == "=" else None


def _of_assignment(target: Any, value: Any, functions: Functions) -> Candidate | None:
    if isinstance(value, c_ast.TernaryOp):
        return _of_choice(target, value) or _of_kept(target, value)
    if isinstance(value, c_ast.FuncCall) and isinstance(value.name, c_ast.ID):
        own = functions.get(value.name.name)
        operator = extreme_function(own) if own else _EXTREMES.get(value.name.name)
        return _of_extreme(target, value, operator) if operator else None
    if isinstance(value, c_ast.BinaryOp) and value.op in (*_BINARY, "-"):
        operator = "+" if value.op == "-" else value.op
        return _of_chain(target, value, operator)
    return None


def _of_kept(target: Any, value: c_ast.TernaryOp) -> Candidate | None:
    """`k = c ? k + 1 : k`: an update under a condition, of a variable."""
    for branch, other in ((value.iftrue, value.iffalse), (value.iffalse, value.iftrue)):
        if isinstance(target, c_ast.ID) and isinstance(branch, c_ast.BinaryOp) and same(other, target):
            found = _of_assignment(target, branch, {})
            if found is not None and found.operator not in ("&&", "||"):
                return replace(found, targets=(*found.targets, other), operands=(*found.operands, value.cond))
    return None


def _of_chain(target: Any, value: Any, operator: str) -> Candidate | None:
    """`x = a + x - b`: x is one term of the chain, with a positive sign."""
    terms = list(_terms(value, operator, positive=True))
    own = [t for t, positive in terms if positive and same(t, target)]
    others = [t for t, _ in terms if t not in own]
    if len(own) != 1 or not others:
        return None
    guarded: tuple[Any, ...] = ()
    if operator in ("&&", "||") and terms[-1][0] is not own[0]:
        if terms[0][0] is not own[0]:
            return None
        guarded = tuple(others)  # `x = x && e` does not evaluate e always, as `x = e && x` does
    return Candidate(operator, (target, own[0]), tuple(others), guarded=guarded)


def common_terms(statement: c_ast.Assignment) -> list[tuple[Any, bool]]:
    """The terms that an assignment joins by one associative operator, each with its sign."""
    value = statement.rvalue
    if statement.op in _COMPOUND:
        operator = _COMPOUND[statement.op]
        return [(statement.lvalue, True), *_terms(value, operator, statement.op != "-=")]
    if isinstance(value, c_ast.BinaryOp) and value.op in (*_BINARY, "-"):
        return list(_terms(value, "+" if value.op == "-" else value.op, positive=True))
    return [(value, True)]


def _terms(node: Any, operator: str, positive: bool) -> Iterator[tuple[Any, bool]]:
    if isinstance(node, c_ast.BinaryOp) and node.op == operator:
        yield from _terms(node.left, operator, positive)
        yield from _terms(node.right, operator, positive)
    elif isinstance(node, c_ast.BinaryOp) and operator == "+" and node.op == "-":
        yield from _terms(node.left, operator, positive)
        yield from _terms(node.right, operator, not positive)
    else:
        yield node, positive


def extreme_function(function: c_ast.FuncDef) -> str | None:
    """max or min if all that a function does is to give back the greater, or the less, of two parameters."""
    declared = function.decl.type.args.params if function.decl.type.args else []
    names = [p.name for p in declared if isinstance(p, c_ast.Decl)]
    found = _chosen(function.body.block_items or [])
    if len(names) != 2 or len(declared) != 2 or found is None:
        return None
    condition, taken, other = found
    sides = (condition.left, condition.right) if isinstance(condition, c_ast.BinaryOp) else ()
    if not all(isinstance(n, c_ast.ID) for n in (*sides, taken, other)) or not sides:
        return None
    if {taken.name, other.name} != set(names) or {n.name for n in sides} != set(names):
        return None
    return _extreme_of(other, condition, taken, taken=True)


def _chosen(items: list[Any]) -> tuple[Any, Any, Any] | None:
    """The parts of `return c ? a : b;`, `if (c) return a; return b;` or `if (c) return a; else return b;`"""
    match items:
        case [c_ast.Return(expr=c_ast.TernaryOp() as choice)]:
            return choice.cond, choice.iftrue, choice.iffalse
        case [c_ast.If(iftrue=c_ast.Return() as yes, iffalse=None) as test, c_ast.Return() as no]:
            return test.cond, yes.expr, no.expr
        case [c_ast.If(iftrue=c_ast.Return() as yes, iffalse=c_ast.Return() as no) as test]:
            return test.cond, yes.expr, no.expr
    return None


def _of_extreme(target: Any, call: Any, operator: str) -> Candidate | None:
    arguments = call.args.exprs if call.args else []
    if len(arguments) != 2:
        return None
    own = [a for a in arguments if same(a, target)]
    other = [a for a in arguments if not same(a, target)]
    if len(own) != 1:
        return None
    return Candidate(operator, (target, own[0]), (other[0],), call)


def _of_choice(target: Any, value: c_ast.TernaryOp) -> Candidate | None:
    """`x = e > x ? e : x` and its mirror images."""
    if same(value.iftrue, target):
        return _choose(target, value.cond, value.iffalse, value.iftrue, taken=False)
    if same(value.iffalse, target):
        return _choose(target, value.cond, value.iftrue, value.iffalse, taken=True)
    return None


def _choose(target: Any, condition: Any, operand: Any, kept: Any, taken: bool) -> Candidate | None:
    operator = _extreme_of(target, condition, operand, taken)
    if operator is None:
        return None
    return Candidate(operator, (target, _side(condition, target), kept), (operand,))


def _side(condition: Any, target: Any) -> Any:
    """The target where it is compared."""
    compared = condition.expr if isinstance(condition, c_ast.UnaryOp) else condition
    return compared.left if same(compared.left, target) else compared.right


def _extreme_of(target: Any, condition: Any, operand: Any, taken: bool) -> str | None:
    """max or min if `operand` is taken over (or not) exactly when it beats `target`."""
    if isinstance(condition, c_ast.UnaryOp) and condition.op == "!":  # (there is no NaN, see limits.md)
        condition, taken = condition.expr, not taken
    if not isinstance(condition, c_ast.BinaryOp) or condition.op not in _SWAPPED:
        return None
    if same(condition.left, operand) and same(condition.right, target):
        operator = condition.op
    elif same(condition.left, target) and same(condition.right, operand):
        operator = _SWAPPED[condition.op]
    else:
        return None
    return "max" if (operator[0] == ">") == taken else "min"


def _of_if(node: c_ast.If) -> Candidate | None:
    """`if (e > x) x = e;` and its mirror images, perhaps with more assignments beside `x = e`."""
    assignments = _assignments(node.iftrue)
    if node.iffalse is not None or not assignments:
        return None
    if len(assignments) == 1:
        return _extreme_if(node.cond, assignments[0]) or _extreme_index(node.cond, assignments[0])
    for body in assignments:
        found = _extreme_if(node.cond, body)
        if found is not None:
            return _with_others(found, node.cond, [a for a in assignments if a is not body])
    return None


def _assignments(body: Any) -> list[Any]:
    """The statements of a body if all are plain assignments."""
    items = body.block_items or [] if isinstance(body, c_ast.Compound) else [body]
    while len(items) == 1 and isinstance(items[0], c_ast.Compound):
        items = items[0].block_items or []
    return items if all(isinstance(i, c_ast.Assignment) and i.op == "=" for i in items) else []


def _extreme_if(condition: Any, body: Any) -> Candidate | None:
    """`if (e > x) x = e;`, also under a further condition: `if (c && e > x) x = e;`"""
    if isinstance(condition, c_ast.BinaryOp) and condition.op == "&&":
        for own, other in ((condition.right, condition.left), (condition.left, condition.right)):
            found = _extreme_if(own, body)
            if found is not None:
                guarded = (*found.guarded, other) if other is condition.right else found.guarded
                return replace(found, operands=(*found.operands, other), guarded=guarded)
        return None
    operator = _extreme_of(body.lvalue, condition, body.rvalue, taken=True)
    if operator is None:
        return None
    return Candidate(operator, (body.lvalue, _side(condition, body.lvalue)), (body.rvalue,))


def _with_others(found: Candidate, condition: Any, others: list[Any]) -> Candidate | None:
    """`if (e > x) { x = e; k = i; }`: the extreme and where it was found."""
    together = (found.targets[0], *(o.lvalue for o in others))
    if not (all(isinstance(n, c_ast.ID) for n in together) or _of_one_structure(together)):
        return None
    operands = (*found.operands, *(o.rvalue for o in others))
    with_it = tuple(o.lvalue for o in others)
    keeps = _keeps(_comparison_of(found, condition))
    guarded = (*found.guarded, *(o.rvalue for o in others))
    return Candidate(f"arg{found.operator}", found.targets, operands, None, with_it, keeps, (), guarded)


def _of_one_structure(nodes: Sequence[Any]) -> bool:
    """Are they different members of one variable?"""
    members = [n for n in nodes if isinstance(n, c_ast.StructRef) and n.type == "."]
    if len(members) < len(nodes) or not all(isinstance(n.name, c_ast.ID) for n in members):
        return False
    fields = {n.field.name for n in members}
    return len({n.name.name for n in members}) == 1 and len(fields) == len(members)


def _comparison_of(found: Candidate, condition: Any) -> Any:
    """The part of a condition that compares the extreme."""
    if condition.op == "!":
        return c_ast.BinaryOp(_OPPOSITE[condition.expr.op], condition.expr.left, condition.expr.right)
    if condition.op != "&&":
        return condition
    return next(
        _comparison_of(found, side)
        for side in (condition.left, condition.right)
        if isinstance(side, c_ast.BinaryOp | c_ast.UnaryOp) and any(n is found.targets[1] for n in walk(side))
    )


def _keeps(condition: Any) -> str:
    return "last" if "=" in condition.op else "first"


def _extreme_index(condition: Any, body: Any) -> Candidate | None:
    """`if (a[i] > a[k]) k = i;`: the place of the extreme alone."""
    if not isinstance(condition, c_ast.BinaryOp) or condition.op not in _SWAPPED:
        return None
    if not isinstance(body.lvalue, c_ast.ID):
        return None
    name = body.lvalue.name
    for kept, other, operator in (
        (condition.right, condition.left, condition.op),
        (condition.left, condition.right, _SWAPPED[condition.op]),
    ):
        names = [*variables(kept)]
        uses = [n for n in names if n.name == name]
        if (
            uses
            and isinstance(kept, c_ast.ArrayRef | c_ast.StructRef)
            and _same_with(kept, other, name, body.rvalue)
        ):
            extreme = "argmax" if operator[0] == ">" else "argmin"
            fixed = tuple(n for n in names if n.name != name)
            targets, operands = (body.lvalue, *uses), (body.rvalue, other)
            return Candidate(extreme, targets, operands, None, (), _keeps(condition), fixed)
    return None


def _same_with(kept: Any, other: Any, name: str, value: Any) -> bool:
    """Is `other` the expression `kept` with `value` in the place of the variable `name`?"""
    if isinstance(kept, c_ast.ID) and kept.name == name:
        return same(other, value)
    if type(kept) is not type(other) or any(getattr(kept, n) != getattr(other, n) for n in kept.attr_names):
        return False
    left, right = [c for _, c in kept.children()], [c for _, c in other.children()]
    pairs = zip(left, right, strict=False)
    return len(left) == len(right) and all(_same_with(x, y, name, value) for x, y in pairs)


def is_evaluated(operand: Any) -> bool:
    """May it matter that `sizeof` evaluates its operand?  (It does where an array's length is a variable.)"""
    if isinstance(operand, _NO_ARRAYS) or (isinstance(operand, c_ast.UnaryOp) and operand.op != "*"):
        return False
    kinds = (c_ast.FuncCall, c_ast.Typename)
    return any(isinstance(n, kinds) or _writes(n) for n in walk(operand))


def _is_evaluated_once(statement: Any, update: Candidate) -> bool:
    """Is every operand evaluated in any case, and once: `s += *p++`, `s += y[i] = e`?

    (Nor does one set what is updated.)
    """
    if not isinstance(statement, c_ast.Assignment) or update.operator not in ("+", "*", "&", "|", "^"):
        return False
    changes = (n for operand in update.operands for n in walk(operand) if _writes(n))
    return update.call is None and all(map(_is_plain_change, changes))


def _is_plain_change(node: Any) -> bool:
    """Does it change a variable, or an element whose place nothing else changes: `s += y[i] = e`?"""
    if isinstance(node, c_ast.Assignment):
        return not _has_side_effects(node.lvalue) and target_name(node.lvalue) is not None
    return isinstance(node, c_ast.UnaryOp) and isinstance(node.expr, c_ast.ID)


def _has_side_effects(node: Any) -> bool:
    return any(_writes(n) for n in walk(node))


def _writes(node: Any) -> bool:
    return isinstance(node, c_ast.Assignment) or (
        isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--")
    )
