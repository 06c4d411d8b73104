"""Headers that are not there.  They are taken to be empty, and what they may have declared is unknown: a
name in a function that nobody declares may be a macro, so what is evaluated there is unknown code.

    for (i = 0; i < LIMIT; i++)         i < unknown(&i, &k)
      STEP(a[i]);                       { unknown(&i, &k, a[i]); if (?) break; if (?) return ...; }
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from pycparser import c_ast

from species.source.parse.unknown import contained, unknown_value, whether
from species.source.syntax.children import replace_child

_KNOWN = ("__builtin_", "__sync_", "__atomic_", "__func__", "__FUNCTION__", "__PRETTY_FUNCTION__")
_UNDECLARED = "undeclared "
_OWN = frozenset(("asm", "offsetof", "__"))
_BLOCKS = (c_ast.Compound, c_ast.For)
_PLACES = frozenset(("iftrue", "iffalse", "stmt", "stmts", "block_items"))  # where statements stand


def names_outside(ast: c_ast.FileAST) -> frozenset[str]:
    """Everything that is declared outside of functions."""
    found: set[str] = set()
    for item in ast.ext:
        declaration = item.decl if isinstance(item, c_ast.FuncDef) else item
        found.add(getattr(declaration, "name", None) or "")
        found.update(e.name for e in contained(declaration, (c_ast.Enumerator,)))
    return frozenset(found - {""})


def doubt_names(functions: Iterable[c_ast.FuncDef], outside: frozenset[str]) -> None:
    """Puts unknown code where names are used in these functions that nothing declares."""
    for function in functions:
        _Doubts(function, outside).visit_body()


class _Doubts:
    def __init__(self, function: c_ast.FuncDef, outside: frozenset[str]) -> None:
        self._function = function
        self._outside = outside
        self._scopes: list[set[str]] = [set()]
        self._labels = [label.name for label in contained(function.body, (c_ast.Label,))]

    def visit_body(self) -> None:
        parameters = getattr(self._function.decl.type.args, "params", None) or []
        declared = [*parameters, *(self._function.param_decls or [])]
        self._scopes[0].update(getattr(p, "name", None) or "" for p in declared)
        self._children(self._function.body)

    def _visit(self, node: Any, parent: Any, place: str) -> None:
        if isinstance(node, c_ast.Decl | c_ast.Typedef):
            self._scopes[-1].add(node.name or "")
            self._scopes[-1].update(e.name for e in contained(node.type, (c_ast.Enumerator,)))
        match node:
            case c_ast.UnaryOp(op="sizeof" | "_Alignof"):
                return
            case c_ast.FuncCall(name=c_ast.ID()) if self._is_doubtful(node.name.name):
                self._children(node, skipped="name")
                replace_child(parent, place, self._code(node, place))
            case c_ast.ID() if self._is_doubtful(node.name):
                replace_child(parent, place, self._in_place(node, parent, place))
            case c_ast.StructRef():
                self._children(node, skipped="field")
            case c_ast.NamedInitializer():
                self._visit(node.expr, node, "expr")
            case _ if isinstance(node, _BLOCKS):
                with self._scope():
                    self._children(node)
            case _:
                self._children(node)

    def _children(self, node: Any, skipped: str = "") -> None:
        for place, child in node.children():
            if place != skipped:
                self._visit(child, node, place)

    @contextmanager
    def _scope(self) -> Iterator[None]:
        self._scopes.append(set())
        yield
        self._scopes.pop()

    def _is_doubtful(self, name: str) -> bool:
        declared = name in self._outside or any(name in scope for scope in self._scopes)
        return not declared and name not in _OWN and not name.startswith(_KNOWN)

    def _variables(self) -> set[str]:
        return set().union(*self._scopes) - {""}

    def _in_place(self, node: c_ast.ID, parent: Any, place: str) -> c_ast.Node:
        if isinstance(parent, c_ast.Case) and place == "expr":
            return c_ast.ID("__", node.coord)
        written = isinstance(parent, c_ast.Assignment) and place == "lvalue"
        if written or (isinstance(parent, c_ast.UnaryOp) and parent.op in ("&", "++", "--", "p++", "p--")):
            value = unknown_value(self._variables(), node.coord, name=_UNDECLARED + node.name)
            return c_ast.UnaryOp("*", value, node.coord)
        return self._code(node, place)

    def _code(self, node: Any, place: str) -> c_ast.Node:
        """What a use of a macro may be, in an expression or as a statement."""
        arguments = node.args.exprs if isinstance(node, c_ast.FuncCall) and node.args else []
        variables, coord = self._variables(), node.coord
        name = node.name.name if isinstance(node, c_ast.FuncCall) else node.name
        value = unknown_value(variables, coord, arguments, _UNDECLARED + name)
        if place.partition("[")[0] not in _PLACES:
            return value
        jumps = [
            c_ast.Break(coord),
            c_ast.Continue(coord),
            c_ast.Return(unknown_value(variables, coord), coord),
        ]
        jumps += [c_ast.Goto(label, coord) for label in self._labels]
        return c_ast.Compound([value, *(whether(jump, coord) for jump in jumps)], coord)
