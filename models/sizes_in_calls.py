"""The sizes on which a call's work hangs, in terms of what the caller gives: `rotate(x + i * n, n, 1)` and

    void rotate(float *x, int len, int stride) { for (int i = 0; i < len - stride; i++) .. }

is `n - 1` iterations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pycparser import c_ast

from models.headers import c_text
from models.nests import FunctionLoops
from models.scope import Scope, enclosed
from species.source.syntax.tree import walk

_NAME = re.compile(r"[A-Za-z_]\w*")
Total = Callable[[c_ast.Node, FunctionLoops], float]


def longest_inside(
    node: c_ast.Node, scope: Scope, functions: Mapping[str, FunctionLoops], total: Total
) -> tuple[float, str]:
    """Of the calls in a statement of `scope`'s loop, the iterations of the longest loop: a number, and C text
    that says it before that loop; empty where that cannot be said.  (1, "") where no call has a loop.
    """
    found = [(1.0, 1.0, "")]
    for call in (each for each in walk(node) if isinstance(each, c_ast.FuncCall)):
        callee = functions.get(call.name.name) if isinstance(call.name, c_ast.ID) else None
        outer = [chain[-1].node for chain in callee.chains.values() if len(chain) == 1] if callee else []
        if callee is None or not outer:
            continue
        loop = max(outer, key=lambda each: total(each, callee))
        trips = callee.chains[id(loop)][-1].trips
        found.append((total(loop, callee), trips, _told(call, loop, callee, scope)))
    _, trips, text = max(found, key=lambda each: (each[0], bool(each[2])))
    return trips, text


def _told(call: c_ast.FuncCall, loop: c_ast.Node, callee: FunctionLoops, scope: Scope) -> str:
    """The iterations of a callee's loop, with the arguments in the place of parameters."""
    function = callee.function
    text = Scope(scope.unit, function, loop).trips(loop)
    listed = function.decl.type.args
    names = [getattr(each, "name", None) or "" for each in listed.params] if listed else []
    given = dict(zip(names, call.args.exprs if call.args else [], strict=False))
    used = set(_NAME.findall(text))
    if not used or not used <= given.keys() or used & Scope(scope.unit, function, function.body).assigned:
        return ""
    if not all(scope.reads(given[name]) for name in used):
        return ""
    return _NAME.sub(lambda match: enclosed(c_text(given[match.group()])), text)
