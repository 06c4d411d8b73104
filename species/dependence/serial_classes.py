"""Names for loops that are serial in a well-known way, which a skeleton of its own could still run fast.

* scan: `s += a[i]; b[i] = s;` or `b[i] = b[i-1] + a[i]`, an associative operator (Blelloch 1990);
* recurrence: the value of one iteration is computed from that of the one before, otherwise than by a scan
  (first-order recurrence: Kogge and Stone 1973);
* pack: `if (c) b[k++] = a[i];`, a counter that only says where the next element goes;
* search: the iterations are independent, but the loop ends when one of them finds something;
* list-traversal: every iteration follows a pointer to the next object, `p = p->next`.

A name is given where it explains all that keeps the loop serial.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pycparser import c_ast

from species.dependence.exact.dependence_test import Dependence
from species.dependence.findings import Finding
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.dependence.reductions import common_operator
from species.loops.model import Reference
from species.source.syntax.tree import variables, walk
from species.symbols.update_idioms import common_terms, mentions, same


def serial_class(judge: Judge, judgement: Judgement) -> str | None:
    """The class of a serial loop; None where no name fits."""
    loop = judgement.loop
    if not judgement.findings:
        return None
    if followed(loop.node):
        return "list-traversal"
    if judge.is_search(loop):
        return "search"
    references = judge.references(loop)
    names = {f: _name_of(f, judgement, references) for f in judgement.findings}
    counters = {f.symbol.name for f, name in names.items() if name == "pack" and f.symbol}
    kinds = {n for f, n in names.items() if not _is_packed(f, counters, references)}
    return kinds.pop() if len(kinds) == 1 else None


def _is_packed(finding: Finding, counters: set[str], references: Sequence[Reference]) -> bool:
    """Is the array only written, where a packing counter says?"""
    if finding.code != "CV204":
        return False
    own = [r for r in references if r.symbol is finding.symbol and not r.place.is_variable]
    return all(
        r.write
        and isinstance(r.node, c_ast.ArrayRef)
        and any(mentions(r.node.subscript, c) for c in counters)
        for r in own
    )


def _name_of(finding: Finding, judgement: Judgement, references: Sequence[Reference]) -> str | None:
    symbol = finding.symbol
    if symbol is None or judgement.loop.children:
        return None
    own = [r for r in references if r.symbol is symbol]
    if not own:
        return None
    if finding.code == "CV203":
        carried = [d for d in judgement.dependences if d.source.symbol is symbol]
        return _name_of_array(judgement.loop.node.stmt, carried)
    if finding.code in ("CV201", "CV207"):
        return _name_of_scalar(judgement.loop.node, symbol.name, own)
    return None


# Scalars


def _name_of_scalar(loop: Any, name: str, references: Sequence[Reference]) -> str | None:
    if _is_packing(loop.stmt, name):
        return "pack"
    updates = {common_operator([r]) for r in references if r.write}
    reads = [r for r in references if not r.write and not r.update]
    if len(updates) == 1 and None not in updates and reads:
        to_arrays = (a for a in _assignments(loop) if isinstance(a.lvalue, c_ast.ArrayRef))
        stored = [n for a in to_arrays for n in walk(a.rvalue)]
        return "scan" if all(any(n is r.node for n in stored) for r in reads) else None
    writes = [a for a in _assignments(loop) if isinstance(a.lvalue, c_ast.ID) and a.lvalue.name == name]
    alone = len(writes) == 1 and len([r for r in references if r.write]) == 1
    return "recurrence" if alone and (writes[0].op != "=" or mentions(writes[0].rvalue, name)) else None


def _is_packing(body: Any, name: str) -> bool:
    """Is the variable only counted up by one, and only used to say where an element is written?"""
    counted = [n for n in walk(body) if _counts_up(n, name)]
    inside = {id(n) for c in counted for n in walk(c)}
    places = (a.lvalue.subscript for a in _assignments(body) if isinstance(a.lvalue, c_ast.ArrayRef))
    subscripts = {id(n) for place in places for n in walk(place)}
    uses = [n for n in variables(body) if n.name == name]
    at_places = [n for n in uses if id(n) in subscripts]
    return bool(counted and at_places) and all(id(n) in inside or id(n) in subscripts for n in uses)


def _counts_up(node: Any, name: str) -> bool:
    match node:
        case c_ast.UnaryOp(op="++" | "p++", expr=c_ast.ID()):
            return bool(node.expr.name == name)
        case c_ast.Assignment(op="+=", lvalue=c_ast.ID(), rvalue=c_ast.Constant()):
            return bool(node.lvalue.name == name and node.rvalue.value == "1")
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(), rvalue=c_ast.BinaryOp(op="+")):
            sides = (node.rvalue.left, node.rvalue.right)
            one = any(isinstance(s, c_ast.Constant) and s.value == "1" for s in sides)
            return bool(node.lvalue.name == name and one and mentions(node.rvalue, name))
    return False


# Arrays


def _name_of_array(body: Any, carried: Sequence[Dependence]) -> str | None:
    """`b[i] = ... b[i-1] ...`: all dependences lead from one iteration to the next."""
    if not carried or any(d.kind != "flow" or d.distance != 1 for d in carried):
        return None
    statements = [a for a in _assignments(body) if any(a.lvalue is d.source.node for d in carried)]
    sinks = [d.sink.node for d in carried]
    if len(statements) != 1 or not all(any(n is s for n in walk(statements[0].rvalue)) for s in sinks):
        return None
    return "scan" if _is_scan(statements[0], sinks) else "recurrence"


def _is_scan(statement: c_ast.Assignment, sinks: Sequence[Any]) -> bool:
    """Is the element before one term of a sum (product, ...), the other terms free of the array?"""
    terms = common_terms(statement)
    before = [t for t, positive in terms if positive and any(t is s for s in sinks)]
    root = getattr(statement.lvalue, "name", None)  # `*p` has none
    others = [t for t, _ in terms if t not in before]
    own = [t for t in others if same(t, statement.lvalue)]
    name = root.name if isinstance(root, c_ast.ID) else None
    return (
        len(before) == 1
        and len(terms) > 1
        and name is not None
        and not any(mentions(t, name) for t in others if t not in own)
    )


# Lists


def followed(loop: Any) -> list[c_ast.Assignment]:
    """`p = p->next`, or `p = q` after `q = p->next`: the assignments of a list's nodes to a pointer that the
    loop's condition asks about.
    """
    condition = getattr(loop, "cond", None)
    steps = [a for a in _assignments(loop) if a.op == "=" and isinstance(a.lvalue, c_ast.ID)]
    steps = [a for a in steps if condition is not None and mentions(condition, a.lvalue.name)]
    return [a for a in steps if any(_follows(v, a.lvalue.name) for v in (a.rvalue, *_given(loop, a.rvalue)))]


def _given(loop: Any, variable: Any) -> Iterator[Any]:
    """What a loop sets a variable to."""
    for node in walk(loop) if isinstance(variable, c_ast.ID) else ():
        if isinstance(node, c_ast.Decl) and node.name == variable.name and node.init is not None:
            yield node.init
        elif isinstance(node, c_ast.Assignment) and getattr(node.lvalue, "name", None) == variable.name:
            yield node.rvalue


def _follows(value: Any, pointer: str) -> bool:
    """Is it a member of what a pointer points to, or a part of one?"""
    while isinstance(value, c_ast.StructRef | c_ast.Cast | c_ast.ArrayRef):
        if isinstance(value, c_ast.StructRef) and value.type == "->" and isinstance(value.name, c_ast.ID):
            return bool(value.name.name == pointer)
        value = value.expr if isinstance(value, c_ast.Cast) else value.name
    return False


def _assignments(node: Any) -> Iterator[c_ast.Assignment]:
    return (n for n in walk(node) if isinstance(n, c_ast.Assignment))
