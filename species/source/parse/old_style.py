"""Functions with parameters in the old style: `f(a, n) float *a; { ... }`."""

from __future__ import annotations

from pycparser import c_ast


def declare_parameters(function: c_ast.FuncDef) -> None:
    """In the old style, a parameter without a declaration is an `int`."""
    parameters = getattr(function.decl.type.args, "params", None) or []
    named = [p for p in parameters if isinstance(p, c_ast.ID)]
    declared = {d.name for d in function.param_decls or ()}
    added = [_declared_int(p) for p in named if p.name not in declared]
    if added:
        function.param_decls = [*(function.param_decls or ()), *added]


def _declared_int(name: c_ast.ID) -> c_ast.Decl:
    kind = c_ast.TypeDecl(name.name, [], None, c_ast.IdentifierType(["int"], name.coord), name.coord)
    return c_ast.Decl(name.name, [], [], [], [], kind, None, None, name.coord)
