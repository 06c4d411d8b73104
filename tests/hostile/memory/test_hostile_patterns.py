"""What looks like a scan, a pack or an argmin, and is none for threads; what must not be read too early."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import accelerated
from tests.support.analysing import loops_of

ARRAYS = "double a[100], b[100], g, *gp;\n"


def scheme_of(parameters: str, before: str, body: str) -> tuple[bool, tuple[str, ...]]:
    """Is there a kernel of the loop in a function, and on which conditions?"""
    text = f"double f(int n{parameters}) {{ {before} for (int i = 0; i < n; i++) {body} return s + k; }}"
    loop = loops_of(ARRAYS + text)[0]
    kernel = loop.scheme or loop.kernel
    return kernel is not None, kernel.conditions if kernel else ()


POINTER = "double s = 1, *r = &s; int k = 0;"
NUMBERS = "double s = 1; int k = 0;"
APART = ", int *restrict q, int *restrict p"


@pytest.mark.parametrize(
    ("parameters", "before", "body"),
    [
        ("", POINTER, "{ s += a[i]; b[i] = *r; }"),
        ("", POINTER, "{ s += a[i]; b[i] = *r + s; }"),
        ("", POINTER, "if (a[i] < *r) { s = a[i]; k = i; }"),
        ("", POINTER, "if (a[i] < s) { *r = a[i]; k = i; }"),
        (", double *x", NUMBERS, "{ s += x[i]; x[i + 1] = s; }"),
        (", int *q", NUMBERS + " int *p = q + 5;", "if (q[i] < 3) p[k++] = q[i];"),
        (APART, NUMBERS + " int *r = p;", "if (q[i] < 3 + r[i]) p[k++] = q[i];"),
        (APART, NUMBERS, "if (q[i] < 3) { p[k++] = q[i]; p++; }"),
        (APART, NUMBERS, "{ if (q[i] < 3) p[k++] = q[i]; q = p; }"),
        (APART + ", int *c", NUMBERS, "if (q[i] < 3) p[(*c)++] = q[i];"),
    ],
)
def test_no_pattern(parameters: str, before: str, body: str) -> None:
    assert not scheme_of(parameters, before, body)[0]


@pytest.mark.parametrize(
    ("parameters", "body"),
    [
        (", double *x, double *y", "{ s += x[i]; y[i] = s; }"),
        (", int *q, int *p", "if (q[i] < 3) p[k++] = q[i];"),
        (", double *x", "{ g += x[i]; x[i] = g; }"),
        ("", "{ g += a[i]; b[i] = g + *gp; }"),
        (", int m", "{ s += a[i]; a[i + m] = s; }"),
    ],
)
def test_only_on_conditions(parameters: str, body: str) -> None:
    found, conditions = scheme_of(parameters, NUMBERS, body)
    assert not found or conditions


def test_what_is_apart_is_asked_nothing() -> None:
    assert scheme_of(APART, NUMBERS, "if (q[i] < 3) p[k++] = q[i];") == (True, ())
    assert scheme_of(", double *x", NUMBERS, "{ s += x[i]; x[i] = s; }") == (True, ())


def compiled(text: str, folder: Path) -> tuple[accelerated.Written, str]:
    (folder / "p.c").write_text(text)
    found = accelerated.written(folder / "p.c", "openmp", folder / "out", {"least": 1})
    return found, (folder / "out" / "p.c").read_text()


PACK = """
#define BOTH(x, y) ((x) && (y))
int a[100], b[100], c[100]; double x[100], y[100];
int f(int n, int *restrict p, double *restrict q) {{
    int k = 0;
    for (int i = 0; i < n; i++)
        if ({condition}) {branch}
    return k;
}}
"""


@pytest.mark.parametrize(
    ("condition", "branch"),
    [
        ("a[i] > 3", "b[k++] = a[i];"),
        ("a[i] > 3", "{ b[k] = a[i]; c[k] = i; k++; }"),
        ("a[i] > 3", "{ y[k] = a[i]; k = 1 + k; }"),
        ("a[i] > 3 && c[i] < 2", "b[k++] = i;"),
        ("q[i] > 3", "y[k++] = q[i];"),
    ],
)
def test_values_at_hand_need_no_branch(condition: str, branch: str, tmp_path: Path) -> None:
    found, text = compiled(PACK.format(condition=condition, branch=branch), tmp_path)
    assert found.skeletons == ["pack"]
    assert "Without a branch" in text


@pytest.mark.parametrize(
    ("condition", "branch"),
    [
        ("a[i] > 3", "b[k++] = p[i];"),  # might lie outside of what p points to
        ("a[i] > 3 && p[i] > 0", "b[k++] = p[i];"),
        ("BOTH(a[i] > 3, p[i] > 0)", "b[k++] = p[i];"),
        ("a[i] > 3 ? p[i] : c[i]", "b[k++] = p[i];"),
        ("p[i] != 0", "b[k++] = 100 / p[i];"),  # might trap
        ("a[i] < 3", "b[k++] = a[i] + 1;"),  # might overflow
        ("a[i] > 3", "b[k++] = a[a[i]];"),
        ("x[i] > 3", "b[k++] = x[i];"),  # what no int holds
        ("x[i] > 3", "b[k++] = (int)x[i];"),
        ("sizeof p[i] > 3", "b[k++] = p[i];"),
        ("a[i] > 3", "{ b[k] = a[i]; k++; c[k] = a[i]; }"),
        ("a[i] > 3", "{ b[k] = a[i]; k++; y[i] = 0; }"),
        ("a[i] > 3", "{ int t = a[i]; b[k++] = t; }"),
        ("&a[i] > p", "b[k++] = a[i];"),
    ],
)
def test_other_values_are_computed_where_they_are_kept(condition: str, branch: str, tmp_path: Path) -> None:
    _, text = compiled(PACK.format(condition=condition, branch=branch), tmp_path)
    assert "Without a branch" not in text


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("#define least 3\nint f(int n)", "the macro least would change the generated function"),
        ("int f(n) int n;", "f() has a parameter list in the old style"),
    ],
)
def test_no_helper(head: str, why: str, tmp_path: Path) -> None:
    body = "{ int s = 0; for (int i = 0; i < n; i++) { s += a[i]; b[i] = s; } return s; }"
    found, _ = compiled(f"int a[100], b[100];\n{head}\n{body}\n", tmp_path)
    assert found.skeletons == [] and found.reason("scan") == why


LOOPS = """
double a[100]; int best, at; int start(void) __attribute__((const));
#define HIDDEN if (a[i] < v) {{ v = a[i]; k = i; }}
int f(int n, int m) {{
    int i, k = 0; double v = a[0], t = 0;
    {loop}
    return k + (v > t);
}}
"""


@pytest.mark.parametrize(
    ("loop", "why"),
    [
        ("for (i = 0; i < n; i += 2) if (a[i] < v) { v = a[i]; k = i; }", "the step of i is 2"),
        ("for (i = 0; i < n; i++) { HIDDEN }", "v is used under another name, or another v is declared"),
        (
            "for (i = 0; i < n; i++) {\n#ifdef X\n;\n#endif\nif (a[i] < v) { v = a[i]; k = i; } }",
            "a preprocessor line stands inside the loop",
        ),
        (
            "for (i = 0; i < n; i++) { t += a[i]; if (a[i] < v) { v = a[i]; k = i; } }",
            "it does not reduce with +",
        ),
        ("for (i = 0; i < n; i++) { t = a[i]; if (t < v) { v = t; k = i; } }", "t carries a value between"),
    ],
)
def test_no_argmin(loop: str, why: str, tmp_path: Path) -> None:
    found, _ = compiled(LOOPS.format(loop=loop), tmp_path)
    assert "argmin" not in found.skeletons
    assert found.reason("argmin").startswith(why)


def test_the_start_is_evaluated_once(tmp_path: Path) -> None:
    loop = "for (i = start() + 1; i < n; i++) if (a[i] < v) { v = a[i]; k = i; }"
    found, text = compiled(LOOPS.format(loop=loop), tmp_path)
    assert found.skeletons == ["argmin"]
    assert text.count("start()") == 1 and "const int first = start() + 1;" in text
