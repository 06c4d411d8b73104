"""C that deceives about reductions: what is evaluated as the partial result wants, and what is compared."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

_HEAD = """int a[200], b[200], c[200], A[100][8]; double x[200];
    static int mark(int i) { b[i] = -1; return a[i] > -15; }
    static int get(int i) { b[i]++; return a[i]; }
    static int quotient(int i) { return 100 / c[i]; }
    static int twice(int i) { return 2 * i + a[i]; }
"""

EFFECTS = {
    "a conjunction": "s = s && mark(i);",
    "a disjunction": "s = s || mark(i);",
    "the second term of a conjunction": "s = s && a[i] && mark(i);",
    "a maximum": "if (get(i) > s) s = get(i);",
    "a maximum, chosen": "s = get(i) > s ? get(i) : s;",
    "a maximum, chosen the other way": "s = s < get(i) ? get(i) : s;",
    "a condition after the comparison": "if (a[i] > s && get(i) > 0) s = a[i];",
    "a condition before the comparison": "if (get(i) > 0 && a[i] > s) s = a[i]; k = b[3];",
    "the place of a maximum": "if (a[i] > s) { s = a[i]; k = get(i); }",
    "a sum that is looked at": "s += get(i); k = b[7];",
    "the place alone": "if (a[get(i) & 63] > a[k]) k = get(i) & 63;",
    "a place that is assigned": "s = s && (b[i] = a[i]);",
}


@pytest.mark.parametrize("body", EFFECTS.values(), ids=EFFECTS.keys())
def test_an_operand_has_effects(body: str) -> None:
    text = f"int f(int n) {{ int s = 1, k = 0; for (int i = 0; i < 100; i++) {{ {body} }} return s + k; }}"
    assert loops_of(_HEAD + text)[0].verdict is Verdict.SERIAL


TRAPS = {
    "a quotient": "s = s && 100 / c[i] < 20;",
    "a remainder": "s = s || 100 % c[i] < 20;",
    "a quotient behind another term": "s = s && i < 90 && 100 / c[i] < 20;",
    "a quotient in a choice": "s = s && (a[i] ? 100 / c[i] : 3);",
    "a quotient after the comparison": "if (a[i] > s && 100 / c[i] > 3) s = a[i];",
    "a quotient by zero": "s = s && 100 / (i - i) < 20;",
    "a quotient at the place": "if (a[i] > s) { s = a[i]; k = 100 / c[i]; }",
    "a quotient in a callee": "s = s && quotient(i) < 20;",
    "a quotient of the smallest number": "s = s && a[i] / -1 > 4;",
    "a subscript of data": "s = s && a[c[i]] > 0;",
    "a subscript beyond the array": "s = s && a[i + 150] > 0;",
    "a subscript up to what nobody knows": "s = s && a[i * n] > 0;",
    "an array shorter than another": "k += a[i * n]; s = s && A[i * n][3] > 0;",
    "an array behind another, which is not always read": "if (n) k += a[i * n]; s = s && b[i * n] > 0;",
    "an array whose subscript was another": "k += a[m]; m = c[i]; s = s && b[m] > 0;",
    "the address of an element": "r = &a[i * n]; s = s && b[i * n] > 0;",
    "a row that is named": "r = A[i * n]; s = s && A[i * n][3] > 0;",
    "a row beyond the array": "s = s && A[i][n] > 0;",
    "a subscript of data after the comparison": "if (a[i] > s && b[c[i]] > 3) s = a[i];",
    "a subscript of data at the place": "if (a[i] > s) { s = a[i]; k = b[c[i]]; }",
    "a pointer": "s = s && *p > 3;",
    "an array of nobody knows what length": "s = s && p[i] > 3;",
    "a member behind a pointer": "s = s && q->n > i;",
    "a function of others": "s = s && other(i);",
}


@pytest.mark.parametrize("body", TRAPS.values(), ids=TRAPS.keys())
def test_an_operand_may_trap(body: str) -> None:
    """The program does not evaluate it, once the result is known; threads with partial results would."""
    text = f"""struct Q {{ int n; }}; __attribute__((const)) int other(int);
        int f(int n, int *p, struct Q *q) {{ int s = 1, k = 0, m = 0, *r;
            for (int i = 0; i < 100; i++) {{ {body} }} return s + k; }}"""
    assert loops_of(_HEAD + text)[0].verdict is Verdict.SERIAL


COMPARED = {
    "a place too narrow": "unsigned char k = 0; for (int i = 0; i < 200; i++) if (a[i] > a[k]) k = i + 100;",
    "a place too narrow, by a sign": """signed char k = 0; for (int i = 0; i < 200;
            i++) if (a[i] > a[k]) k = i;""",
    "a place of a bit": "_Bool k = 0; for (int i = 0; i < 100; i++) if (a[i] > a[k]) k = i;",
    "a table of the iteration": """int k = 0; for (int i = 0; i < 100; i++) { int t[8];
        for (int z = 0; z < 8; z++) t[z] = a[i + z]; if (t[i & 7] > t[k]) k = i & 7; }""",
    "a table that is a temporary": """int k = 0, t[8]; for (int i = 0; i < 100; i++) {
        for (int z = 0; z < 8; z++) t[z] = a[i + z]; if (t[i & 7] > t[k]) k = i & 7; }""",
    "a row of the iteration": """int k = 0; for (int i = 0; i < 100; i++) { int *t = A[i];
        if (t[i & 7] > t[k]) k = i & 7; }""",
    "a row by the iteration": """int k = 0; for (int i = 0; i < 100;
            i++) if (A[i][i & 7] > A[i][k]) k = i & 7;""",
    "a structure of the iteration": """int k = 0; for (int i = 0; i < 100; i++) { struct { int v[8]; } t;
        for (int z = 0; z < 8; z++) t.v[z] = a[i + z]; if (t.v[i & 7] > t.v[k]) k = i & 7; }""",
}


@pytest.mark.parametrize("body", COMPARED.values(), ids=COMPARED.keys())
def test_a_place_is_compared_with_something_else(body: str) -> None:
    loops = loops_of(f"{_HEAD} int f(void) {{ {body} return k; }}")
    assert loops[0].verdict is Verdict.SERIAL


PARALLEL = {
    "a conjunction": "s = s && a[i] > 3;",
    "a disjunction of two": "s = s || a[i] > 3 || b[i + 100] == 7;",
    "a disjunction with a shifted element": "s = s || (i > 0 && a[i - 1] > a[i]);",
    "a conjunction of a choice": "s = s && (i < 99 ? A[i + 1][3] : 1);",
    "a quotient by a number": "s = s && a[i] / 3 > 4;",
    "a quotient of fractions": "s = s && x[i] / x[i + 1] > 4;",
    "a quotient that is always evaluated": "s += 100 / c[i];",
    "a condition before the comparison": "if (100 / c[i] > 3 && a[i] > s) s = a[i];",
    "a condition after the comparison": "if (a[i] > s && b[i] > 3) s = a[i];",
    "a condition on what was compared": "if (p[i] > s && p[i] < 100) s = p[i];",
    "an array as long as another": "k += a[i * n]; s = s && b[i * n] > 0;",
    "an array as long as what is compared": "if (a[i * n] > s) { s = a[i * n]; k = c[i * n]; }",
    "the place": "if (p[i] > s) { s = p[i]; k = i; }",
    "the place of what was compared": "if (p[i] > s) { s = p[i]; k = p[i] + b[i]; }",
    "the place alone": "if (p[i] > p[k]) k = i;",
    "a maximum of a function": "if (twice(i) > s) s = twice(i);",
    "a sum of what a function does": "s += get(i);",
}


@pytest.mark.parametrize("body", PARALLEL.values(), ids=PARALLEL.keys())
def test_is_parallel(body: str) -> None:
    text = f"""int f(int n, int *p) {{ int s = 1, k = 0; for (int i = 0; i < 100; i++) {{
            {body} }} return s + k; }}"""
    assert loops_of(_HEAD + text)[0].verdict is not Verdict.SERIAL


def test_place_of_a_reduction_is_the_first_cell_of_a_pointer() -> None:
    text = """double d[90]; void f(int n, double *e, int *p) { for (int i = 2; i < n; i++)
        for (int j = (n < i ? n : i); j-- > 0; ) {
            int l = 1; while (l < j + 3) { e[i - i] += d[i]; p[j] = 2; l++; } } }"""
    assert any(r.variable in ("e[0]", "e[:]") for loop in loops_of(text) for r in loop.reductions)


MEMBERS = {
    "a sum": "sum += p[i].sum;",
    "a product in the other order": "sum = p[i].sum + sum;",
    "behind a pointer": "{ struct s *q = p + i; sum += q->sum; }",
    "a maximum": "if (p[i].sum > sum) sum = p[i].sum;",
}


@pytest.mark.parametrize("body", MEMBERS.values(), ids=MEMBERS.keys())
def test_a_member_of_the_name_is_another_thing(body: str) -> None:
    head = "struct s { int sum; }; int f(struct s *p, int n) { int sum = 0;"
    text = f"{head} for (int i = 0; i < n; i++) {body} return sum; }}"
    assert loops_of(text)[0].verdict is Verdict.PARALLEL
