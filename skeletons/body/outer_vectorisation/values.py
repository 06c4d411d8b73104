"""The variables of an iteration: which every lane keeps, which are set anew in every step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from skeletons.body.outer_vectorisation.shape import Piece, Shape
from skeletons.kernel.context import Subject
from species.core.refusal import Refusal
from species.source.syntax.expressions import canonical
from species.source.syntax.tree import walk

_CHANGING = ("p++", "p--", "++", "--")


@dataclass(frozen=True)
class Variable:
    """A number that an iteration has for itself; `declared` where: before its inner loop, in the header of
    that, or outside of the iteration (empty).  `given`: it has a value when the inner loop begins.
    """

    name: str
    ctype: str  # as the source names it
    declared: str  # "before", "header" or ""
    given: bool
    is_used: bool  # in a step of the inner loop
    is_changed: bool  # there
    is_read: bool  # there
    is_needed: bool  # behind the inner loop


def names(*pieces: Piece) -> frozenset[str]:
    """All names of variables and arrays in the pieces."""
    return frozenset(n.name for piece in pieces for n in piece.walk() if isinstance(n, c_ast.ID))


def written(*pieces: Piece) -> list[str]:
    """The variables that are assigned, in order, as often as that stands there."""
    return [name for piece in pieces for node in piece.nodes for name in _written(node)]


def _written(node: Any) -> Iterator[str]:
    for part in walk(node):
        if isinstance(part, c_ast.Assignment) and isinstance(part.lvalue, c_ast.ID):
            yield part.lvalue.name
        elif (
            isinstance(part, c_ast.UnaryOp)
            and part.op in (*_CHANGING, "&")
            and isinstance(part.expr, c_ast.ID)
        ):
            yield part.expr.name


def declarations(*pieces: Piece) -> list[Any]:
    """The declarations of variables in the pieces."""
    return [node for piece in pieces for node in piece.walk() if isinstance(node, c_ast.Decl)]


def type_text(node: Any) -> str:
    """The type of a declared number as the source names it; Refusal for anything else."""
    plain = isinstance(node.type, c_ast.TypeDecl) and isinstance(node.type.type, c_ast.IdentifierType)
    if not plain or set(node.storage) - {"auto", "register"} or "volatile" in node.quals:
        raise Refusal(f"{node.name} is no plain number")
    return " ".join(node.type.type.names)


def variables(subject: Subject, shape: Shape) -> tuple[Variable, ...]:
    """The numbers that an iteration has for itself and that its inner loop, or what follows, mentions."""
    own = {node.name: "before" for node in declarations(shape.before)}
    own |= {node.name: "header" for node in declarations(shape.start)}
    outside = {s.name: s.ctype for s in subject.scalars("private")}
    nodes = {node.name: node for node in declarations(shape.before, shape.start)}
    given = set(_given((*shape.before.nodes, *shape.start.nodes)))
    used, changed = names(*shape.step), frozenset(written(*shape.step))
    read, needed = frozenset(_read(shape.step)), names(shape.after)
    found = [name for name in (*own, *outside) if name in used | needed and name not in subject.iterators]
    return tuple(
        Variable(
            name=name,
            ctype=type_text(nodes[name]) if name in own else outside[name],
            declared=own.get(name, ""),
            given=name in given,
            is_used=name in used,
            is_changed=name in changed,
            is_read=name in read,
            is_needed=name in needed,
        )
        for name in dict.fromkeys(found)
        if name in own or name in changed or name in written(shape.before, shape.start)
    )


def _given(items: Iterable[Any]) -> Iterator[str]:
    """The variables that these statements give a value, whatever happens."""
    for item in items:
        match item:
            case c_ast.Decl() if item.init is not None:
                yield item.name
            case c_ast.Assignment(lvalue=c_ast.ID(name=name), op="="):
                yield name
                yield from _given([item.rvalue])  # a = b = 0
            case c_ast.Compound():
                yield from _given(item.block_items or ())
            case c_ast.ExprList():
                yield from _given(item.exprs)
            case c_ast.If() if item.iffalse is not None:
                other = set(_given([item.iffalse]))
                yield from (name for name in _given([item.iftrue]) if name in other)


def _read(pieces: Iterable[Piece]) -> Iterator[str]:
    """The variables whose values are used other than to change them."""
    for piece in pieces:
        plain = [n for n in piece.walk() if isinstance(n, c_ast.Assignment) and n.op == "="]
        places = {id(node.lvalue) for node in plain}
        yield from (n.name for n in piece.walk() if isinstance(n, c_ast.ID) and id(n) not in places)


def check_set_first(variable: Variable, shape: Shape) -> None:
    """Refusal unless every step gives the variable a value before it, or a condition, reads it."""
    for piece in shape.step:
        for node in piece.nodes:
            mentions = variable.name in {n.name for n in walk(node) if isinstance(n, c_ast.ID)}
            if not mentions:
                continue
            value = node.rvalue if isinstance(node, c_ast.Assignment) and node.op == "=" else None
            sets = value is not None and isinstance(node.lvalue, c_ast.ID)
            if not sets or variable.name in {n.name for n in walk(value) if isinstance(n, c_ast.ID)}:
                raise Refusal(f"{variable.name} may have no value when the inner loop begins")
            return


def types_in(subject: Subject, shape: Shape) -> dict[str, str]:
    """The types of numbers by name, of elements of arrays, and of types; those that are unknown left out."""
    declared = declarations(shape.before, shape.start, shape.after, *shape.step)
    texts = {array.name: array.element for array in subject.kernel.arrays}
    texts |= {scalar.name: scalar.ctype for scalar in subject.kernel.scalars}
    texts |= {loop.iterator: loop.ctype for loop in subject.kernel.loops}
    texts |= {name: name for name in subject.declarations.types if " " not in name}
    texts |= dict.fromkeys(subject.declarations.enumerators, "int")
    for node in declared:
        texts.pop(node.name, None)
    texts |= {n.name: type_text(n) for n in declared if isinstance(n.type, c_ast.TypeDecl)}
    found = {name: _type(subject, text) for name, text in texts.items()}
    return {name: ctype for name, ctype in found.items() if ctype is not None}


def _type(subject: Subject, text: str) -> str | None:
    if {"volatile", "_Atomic"} & set(text.split()):
        return None
    found = subject.declarations.canonical(text)
    return None if found is None or found == "long double" else canonical(found)
