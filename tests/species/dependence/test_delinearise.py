"""Flattened arrays: `a[i*n + j]` with a stride that only the run knows."""

from __future__ import annotations

import operator
import re
from functools import cache
from itertools import product

import pytest
from pycparser import CParser, c_ast

from species.facts.loops import LoopFacts, Verdict
from species.loops.walk import build_model, resolve
from species.regions.hull import Regions
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import loops_of

HEAD = "typedef struct { int w, h; double *p; int *q; } Grid;\nint N, *W; double *restrict G;\n"
PARALLEL = {
    "a square": "int n; for (i = 0; i < n; i++) for (j = 0; j < n; j++) a[i*n + j] = 1;",
    "three dimensions, nested": """int n, m; for (i = 0; i < 9; i++) for (j = 0; j < n; j++)
        for (k = 0; k < m; k++) a[(i*n + j)*m + k] = 1;""",
    "three dimensions, flat": """int n, m; for (i = 0; i < 9; i++) for (j = 0; j < n; j++)
        for (k = 0; k < m; k++) a[i*n*m + j*m + k] = 1;""",
    "a stencil": """int n, w; for (i = 1; i < n - 1; i++) for (j = 1; j < w - 1; j++)
        a[i*w + j] = b[(i-1)*w + j + 1] + b[(i+1)*w + j - 1];""",
    "a halo": "int n; for (i = 0; i < 9; i++) for (j = 0; j < n + 2; j++) a[i*(n+2) + j] = 1;",
    "column by column": "int n; for (i = 0; i < n; i++) for (j = 0; j < 9; j++) a[n*j + i] += 1;",
    "colours": """int w; for (i = 0; i < 9; i++) for (j = 0; j < w; j++) for (k = 0; k < 3; k++)
        a[(i*w + j)*3 + k] = 1;""",
    "upper and lower triangle": """int n; for (i = 0; i < n; i++) for (j = 0; j < i; j++)
        a[i*n + j] = a[j*n + i];""",
    "elimination": """int n, l; for (i = l + 1; i < n; i++) for (j = l + 1; j < n; j++) if (l >= 0)
        a[i*n + j] -= a[i*n + l] * a[l*n + j];""",
    "mirrored rows": """int n; for (i = 0; i < n; i++) for (j = 0; j < n; j++)
        a[i*n + n - 1 - j] = a[i*n + j];""",
    "an index of its own": """int n; for (i = 0; i < n; i++) for (j = 0; j < n; j++)
        { int at = i*n + j; a[at] = b[at]; }""",
    "a pointer to the row": """int n; for (i = 0; i < 9; i++)
        { double *row = a + i*n; for (j = 0; j < n; j++) row[j] = 1; }""",
    "planes of n*n": "int n; for (i = 0; i < 9; i++) for (j = 0; j < n*n; j++) a[i*n*n + j] = 1;",
    "unsigned long": """unsigned long n, x, y; for (x = 0; x < n; x++) for (y = 0; y < n; y++)
        a[x*n + y] = 1;""",
    "members": "Grid *g; for (i = 0; i < g->h; i++) for (j = 0; j < g->w; j++) g->p[i*g->w + j] = 1;",
    "a global size": "for (i = 0; i < N; i++) for (j = 0; j < N; j++) G[i*N + j] = 1;",
}
NOT_PARALLEL = {
    "one column too many": "int n; for (i = 0; i < 9; i++) for (j = 0; j <= n; j++) a[i*n + j] = 1;",
    "a column before the first": "int n; for (i = 1; i < 9; i++) for (j = -1; j < n; j++) a[i*n + j] = 1;",
    "swapped strides": """int n; for (i = 0; i < n; i++) for (j = 0; j < n; j++)
        a[i*n + j] = a[j*n + i];""",
    "wrapping neighbours": """int n; for (i = 1; i < 9; i++) for (j = 0; j < n; j++)
        a[i*n + j] = a[i*n + j - 1];""",
    "the row above": """int n; for (i = 1; i < 9; i++) for (j = 0; j < n; j++)
        a[i*n + j] = a[(i-1)*n + j];""",
    "a stride that changes": """int n; for (i = 0; i < 9; i++) { n = a[i] > 0 ? 3 : 5;
        for (j = 0; j < n; j++) a[i*n + j] = 1; }""",
    "a stride that is counted down": """int n; for (i = 0; i < 9; i++, n--)
        for (j = 0; j < n; j++) a[i*n + j] = 1;""",
    "a member that is written through a pointer": """Grid *g; for (i = 0; i < 9; i++)
        for (j = 0; j < g->w; j++) g->q[i*g->w + j] = 1;""",
    "a global that is written through a pointer": """for (i = 0; i < 9; i++)
        for (j = 0; j < N; j++) W[i*N + j] = 1;""",
    "the wrong stride of three": """int n, m; for (i = 0; i < 9; i++) for (j = 0; j < n; j++)
        for (k = 0; k <= m; k++) a[(i*n + j)*m + k] = 1;""",
    "a product that wraps": """unsigned n, x, y; for (x = 0; x < n; x++) for (y = 0; y < n; y++)
        a[x*n + y] = 1;""",
    "a row number from memory": """int n; for (i = 0; i < 9; i++) for (j = 0; j < n; j++)
        a[rows[i]*n + j] = 1;""",
    "a column from memory": "int n; for (i = 0; i < 9; i++) for (j = 0; j < n; j++) a[i*n + rows[j]] = 1;",
    "a stride of the other loop": """int n; for (i = 0; i < n; i++) for (j = 0; j < n; j++)
        a[i*j + j] = 1;""",
}


def loop_of(text: str) -> LoopFacts:
    """The outermost loop of a body with its parameters before the first semicolon that a loop follows."""
    parameters, body = text.split("for", 1)
    declared = parameters.rstrip("; \n")
    names = "".join(
        f", {p.strip()}" if k == 0 or "*" in p or " " in p.strip() else f", {_type(declared)} {p.strip()}"
        for k, p in enumerate(declared.split(","))
        if p.strip()
    )
    text = f"{HEAD}void f(double *restrict a, double *restrict b, const int *restrict rows{names})\n"
    text += f"{{ int i, j, k; for{body} }}"
    return next(found for found in loops_of(text) if found.depth == 0)


def _type(declared: str) -> str:
    return re.match(r"[\w ]+(?= \w)", declared)[0].strip()  # type: ignore[index]


@pytest.mark.parametrize("name", PARALLEL)
def test_proves_rows_apart(name: str) -> None:
    assert loop_of(PARALLEL[name]).verdict is Verdict.PARALLEL, loop_of(PARALLEL[name]).reasons


@pytest.mark.parametrize("name", NOT_PARALLEL)
def test_claims_nothing_of_what_only_looks_flattened(name: str) -> None:
    assert loop_of(NOT_PARALLEL[name]).verdict is not Verdict.PARALLEL


def test_the_region_of_a_flattened_array_is_named() -> None:
    text = """void f(int n, int m, double *a, const double *b) {
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i*m + j] = b[i*m + j]; }"""
    loop = loops_of(text)[0]
    assert loop.verdict is Verdict.CONDITIONAL and "((long)m*n)*sizeof(*b)" in loop.conditions[0]
    assert loop.kernel is not None
    arrays = {a.name: a for a in loop.kernel.arrays}
    written = arrays["a"].writes
    assert written and (written[0].low, written[0].high) == ("0", "((long)m*n)-1")
    assert arrays["a"].covered


def test_a_region_with_holes_is_not_covered() -> None:
    text = """void f(int n, int m, double *restrict a) {
        for (int i = 0; i < n; i++) for (int j = 0; j < m - 1; j++) a[i*m + j] = 1; }"""
    kernel = loops_of(text)[0].kernel
    assert kernel is not None and not kernel.arrays[0].covered


# All small nests of two loops against an enumeration of their iterations.

SUBSCRIPTS = (
    "i*n + j",
    "j*n + i",
    "i*m + j",
    "(i+1)*n + j - 1",
    "i*n",
    "i*n*m + j",
    "(i-1)*n + j + 1",
    "i*(n+m) + j",
    "i*n - j",
    "(m-i)*n + j",
    "2*i*n + j",
    "i*n + 2*j",
)
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}
BOUNDS = ("n", "m", "n - 1", "2*n")
SIZES = range(-2, 4)


def test_agrees_with_enumeration() -> None:
    cases = [(w, r, b) for w, r, b in product(SUBSCRIPTS, SUBSCRIPTS, BOUNDS) if hash_of(w, r, b) % 8 == 0]
    text = "".join(
        f"""void f{k}(int n, int m, double *restrict a) {{
            for (int i = 1; i < 4; i++) for (int j = 0; j < {b}; j++) a[{w}] = a[{r}] * 0.5 + 1; }}\n"""
        for k, (w, r, b) in enumerate(cases)
    )
    loops = {loop.function: loop for loop in loops_of(text) if loop.depth == 0}
    proved = 0
    for k, (w, r, b) in enumerate(cases):
        loop = loops[f"f{k}"]
        for n, m in product(SIZES, SIZES):
            if claims(loop, n=n, m=m):
                proved += 1
                assert not conflicts(w, r, b, n, m), (w, r, b, n, m, loop.conditions)
    assert proved > 500


def hash_of(*parts: str) -> int:
    return sum(map(ord, "".join(parts)))


def claims(loop: LoopFacts, **values: int) -> bool:
    """Does the analyser say that the loop is parallel for these values?"""
    return loop.verdict.is_parallel and all(holds(c, **values) for c in loop.conditions)


def holds(condition: str, **values: int) -> bool:
    """The value of a C condition."""
    text = condition.replace("(long long)", "").replace("(long)", "")
    text = text.replace("&&", " and ").replace("||", " or ")
    return bool(eval(re.sub(r"!(?!=)", " not ", text), {}, values))


def conflicts(write: str, read: str, bound: str, n: int, m: int) -> bool:
    """Do two iterations of the outer loop touch one cell, one of them writing?"""
    writes: dict[int, set[int]] = {}
    reads: dict[int, set[int]] = {}
    for i in range(1, 4):
        for j in range(eval(bound, {}, {"n": n, "m": m})):
            values = {"i": i, "j": j, "n": n, "m": m}
            writes.setdefault(eval(write, {}, values), set()).add(i)
            reads.setdefault(eval(read, {}, values), set()).add(i)
    return any(len(rows | reads.get(cell, set())) > 1 for cell, rows in writes.items())


def test_regions_agree_with_enumeration() -> None:
    bounds = (*BOUNDS, "i", "i + m")
    cases = [(w, b) for w, b in product(SUBSCRIPTS, bounds)]
    text = "".join(
        f"""void f{k}(int n, int m, double *restrict a) {{
            for (int i = 1; i < n; i++) for (int j = 0; j < {b}; j++) a[{w}] = 1; }}\n"""
        for k, (w, b) in enumerate(cases)
    )
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    model = build_model(unit.ast, lambda _: True, resolve(unit.ast, complete=True))
    named = 0
    for function, (w, b) in zip(model.functions, cases, strict=True):
        writes = [r for r in function.references if r.write and r.symbol.name == "a"]
        region = Regions(function, function.loops[0]).hull(writes)
        for n, m in product(SIZES, SIZES):
            touched = cells(w, b, n, m)
            if region is not None and touched:
                named += 1
                low, high = (value(t, n, m) for t in (region.ranges[0].low, region.ranges[0].high))
                where = (w, b, n, m, region)
                assert low <= min(touched) and max(touched) <= high, where
                assert not region.exact or (low, high) == (min(touched), max(touched)), where
                assert not region.covered or len(touched) == high - low + 1, where
    assert named > 300


def cells(subscript: str, bound: str, n: int, m: int) -> set[int]:
    return {
        eval(subscript, {}, {"i": i, "j": j, "n": n, "m": m})
        for i in range(1, n)
        for j in range(eval(bound, {}, {"i": i, "n": n, "m": m}))
    }


def value(text: str, n: int, m: int) -> int:
    """The value of a C expression of `long`, without division."""
    return _value(_parsed(text), {"n": n, "m": m})


@cache
def _parsed(text: str) -> c_ast.Node:
    return CParser().parse(f"long x = {text};").ext[0].init


def _value(node: c_ast.Node, names: dict[str, int]) -> int:
    match node:
        case c_ast.Constant():
            return int(node.value)
        case c_ast.ID():
            return names[node.name]
        case c_ast.Cast():
            return _value(node.expr, names)
        case c_ast.UnaryOp(op="-"):
            return -_value(node.expr, names)
        case c_ast.TernaryOp():
            return _value(node.iftrue if _value(node.cond, names) else node.iffalse, names)
    return int(OPERATORS[node.op](_value(node.left, names), _value(node.right, names)))


@pytest.mark.parametrize("condition", ["c > 3", "c > c", "c > 3 && c < 9", "c == 3"])
def test_nothing_is_covered_where_a_condition_may_skip_all(condition: str) -> None:
    """What is not written must not be copied back."""
    loop = loops_of(f"""void f(int n, int c, double *restrict a) {{
        for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if ({condition}) a[i * n + j] = 1; }}""")[0]
    assert loop.kernel is not None
    assert not loop.kernel.arrays[0].covered


def test_conditions_that_contradict_each_other_prove_no_end_of_strides() -> None:
    loops = loops_of(
        "void f(int n, int k, int *restrict p) { int x = 0;\n"
        "for (unsigned i = n; i < n; i++) { x += 1; p[k * i - x] = 1; } }\n"
        "int a[9]; void g(void) { for (int i = 0; i < 9; i++) a[i] = i; }\n"
    )
    assert [loop.function for loop in loops] == ["f", "g"]
