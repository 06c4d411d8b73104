"""Which functions calls by pointers run, as far as names tell: of parameters, members, variables and tables.

All pointers of one name count as one: enough for estimates, and no proof of anything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pycparser import c_ast

from species.source.syntax.tree import walk


def pointer_name(node: c_ast.Node | None) -> str:
    """What a pointer is called: a variable, a table of them, or a member (with a dot before it); or empty."""
    match node:
        case c_ast.ID(name=name):
            return str(name)
        case c_ast.StructRef(field=c_ast.ID(name=name)):
            return f".{name}"
        case c_ast.ArrayRef(name=inner) | c_ast.UnaryOp(op="*" | "&", expr=inner) | c_ast.Cast(expr=inner):
            return pointer_name(inner)
    return ""


@dataclass(frozen=True)
class IndirectCalls:
    """By the name of a pointer, the functions of the file that it may lead to."""

    targets: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @staticmethod
    def of(ast: c_ast.FileAST) -> IndirectCalls:
        """What a file's initialisers, assignments and arguments say."""
        functions = {node.decl.name: node for node in ast.ext if isinstance(node, c_ast.FuncDef)}
        found = defaultdict[str, set[str]](set)
        copies: set[tuple[str, str]] = set()
        for name, value in _given(ast, functions):
            for part in _values(value):
                source = pointer_name(part)
                if source in functions:
                    found[name].add(source)
                elif source and source != name:
                    copies.add((name, source))
        _follow(found, copies)
        return IndirectCalls({n: frozenset(those) for n, those in found.items() if n not in functions})

    def called(self, call: c_ast.FuncCall) -> frozenset[str]:
        """The functions that a call may run; none where it is by name, or nothing is known."""
        return self.targets.get(pointer_name(call.name), frozenset())

    @property
    def functions(self) -> frozenset[str]:
        """All that some pointer may lead to."""
        return frozenset().union(*self.targets.values())


def _follow(found: dict[str, set[str]], copies: set[tuple[str, str]]) -> None:
    """Pointers that get the values of others."""
    changed = True
    while changed:
        changed = False
        for name, source in copies:
            if found.get(source, set()) - found.get(name, set()):
                found.setdefault(name, set()).update(found[source])
                changed = True


def _given(ast: c_ast.FileAST, functions: Mapping[str, c_ast.FuncDef]) -> Iterator[tuple[str, c_ast.Node]]:
    """The names of what is set, each with a value."""
    members = _members(ast)
    for node in walk(ast):
        match node:
            case c_ast.Decl(name=str(name), init=init) if init is not None:
                yield from _initialised(name, init, members.get(_tag(node.type), []))
            case c_ast.Assignment(op="=", lvalue=target, rvalue=value):
                yield pointer_name(target), value
            case c_ast.NamedInitializer(name=[*_, c_ast.ID(name=name)], expr=value):
                yield f".{name}", value
            case c_ast.FuncCall(name=c_ast.ID(name=callee), args=c_ast.ExprList(exprs=given)):
                declared = functions[callee].decl.type.args if callee in functions else None
                for parameter, value in zip(declared.params if declared else (), given, strict=False):
                    yield getattr(parameter, "name", None) or "", value


def _initialised(name: str, init: c_ast.Node, members: list[str]) -> Iterator[tuple[str, c_ast.Node]]:
    """What a variable, or the elements or members of one, begins with."""
    if not isinstance(init, c_ast.InitList):
        yield name, init
        return
    parts = [part for part in init.exprs or () if not isinstance(part, c_ast.NamedInitializer)]
    for place, part in enumerate(parts):
        if isinstance(part, c_ast.InitList):
            yield from _initialised(name, part, members)
        else:
            yield f".{members[place]}" if place < len(members) else name, part
    for part in init.exprs or ():
        if isinstance(part, c_ast.NamedInitializer) and isinstance(part.expr, c_ast.InitList):
            yield from _initialised(name, part.expr, members)
        elif isinstance(part, c_ast.NamedInitializer):
            yield name, part.expr  # `[KIND] = f`


def _members(ast: c_ast.FileAST) -> dict[str, list[str]]:
    """The members of structures, by their tags and by the types that are defined as them."""
    found: dict[str, list[str]] = {}
    for node in walk(ast):
        if isinstance(node, c_ast.Struct) and node.decls:
            found[f"struct {node.name}"] = [each.name or "" for each in node.decls]
    for node in (each for each in walk(ast) if isinstance(each, c_ast.Typedef)):
        tag = _tag(node.type)
        inner = getattr(node.type, "type", None)
        if isinstance(inner, c_ast.Struct) and inner.decls:
            found[node.name] = [each.name or "" for each in inner.decls]
        elif tag in found:
            found[node.name] = found[tag]
    return found


def _tag(node: c_ast.Node | None) -> str:
    """The name of a structure, or of an array's element."""
    while isinstance(node, c_ast.ArrayDecl | c_ast.TypeDecl):
        node = node.type
    if isinstance(node, c_ast.Struct):
        return f"struct {node.name}"
    return str(node.names[-1]) if isinstance(node, c_ast.IdentifierType) else ""


def _values(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The expressions that a value may be."""
    if isinstance(node, c_ast.TernaryOp):
        yield from _values(node.iftrue)
        yield from _values(node.iffalse)
    elif isinstance(node, c_ast.Cast):
        yield from _values(node.expr)
    else:
        yield node
