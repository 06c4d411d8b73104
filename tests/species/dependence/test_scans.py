"""Serial loops with a pattern: what an iteration combines, and what looks like it and is not."""

from __future__ import annotations

import pytest

from tests.support.analysing import loops_of

FILE = """int a[99], b[99], c[99]; double x[99]; int own(int v); int twice(int v) {{ return 2 * v; }}
int f(int n, int m) {{ int s = 0, k = 0; {loop} return s + k; }}"""

FOUND = {
    "{ s += a[i]; b[i] = s; }": ("scan", "s", "+", "a[i]"),
    "{ b[i] = s; s = a[i] - m + s; }": ("scan", "s", "+", "a[i] - m"),
    "{ b[i] = s; s = s + a[i] * m; }": ("scan", "s", "+", "a[i] * m"),
    "{ s ^= i; b[i] = s; c[i] = s + 1; }": ("scan", "s", "^", "i"),
    "{ if (a[i] > s) s = a[i]; b[i] = s; }": ("scan", "s", "max", "a[i]"),
    "{ s += a[i]; a[i] = s; }": ("scan", "s", "+", "a[i]"),
    "{ if (a[i] > m) s += 2; b[i] = s; }": ("scan", "s", "+", "((a[i] > m) ? (2) : 0)"),
    "if (a[i] > m) b[k++] = i;": ("pack", "k", "+", "((a[i] > m) ? (1) : 0)"),
    "if (a[i] > m) { b[k] = i; c[k] = a[i]; k = k + 1; }": ("pack", "k", "+", "((a[i] > m) ? (1) : 0)"),
}


def scheme_of(body: str) -> object:
    loop = loops_of(FILE.format(loop=f"for (int i = 0; i < n; i++) {body}"))[0]
    assert not loop.verdict.is_parallel and loop.kernel is None
    return loop.scheme and loop.scheme.pattern


@pytest.mark.parametrize("body", FOUND)
def test_terms(body: str) -> None:
    found = scheme_of(body)
    assert found is not None
    assert (found.kind, found.variable, found.operator, found.term) == FOUND[body]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "body",
    [
        "{ s -= a[i]; b[i] = s; }",
        "{ s = a[i] - s; b[i] = s; }",
        "{ s += a[i] - m + s; b[i] = s; }",
        "{ s = 2 * s + a[i]; b[i] = s; }",
        "{ a[i] = a[i] * 2; s += a[i]; b[i] = s; }",
        "{ int t = a[i]; s += t; b[i] = s; }",
        "{ m = a[i]; s += m; b[i] = s; }",
        "{ s += a[s & 7]; b[i] = s; }",
        "{ s += a[i]; b[i] = s; s += a[i]; }",
        "{ s += own(a[i]); b[i] = s; }",
        "{ s += twice(a[i]); b[i] = s; }",
        "{ if (a[i] > s) s += a[i]; b[i] = s; }",
        "{ if (a[i] > m) s *= 2; b[i] = s; }",
        "{ if (a[i] > m) s += 2; else s += 1; b[i] = s; }",
        "{ if (a[i] > m) continue; s += a[i]; b[i] = s; }",
        "{ s += a[i]; b[s & 7] = s; }",
        "{ s += a[i]; b[i] = s; if (s > 50) break; }",
        "{ s += a[i]; b[i] = b[a[i]] + s; }",
        "{ s += a[i]; b[i] = s; a[i + 1] = 2; }",
        "if (a[i] > m && k < 9) b[k++] = i;",
        "if (a[i] > m) a[k++] = a[i];",
        "if (a[i] > m) b[k++ % 5] = i;",
        "if (a[i] > m) b[k++ / 2] = i;",
        "if (a[i] > m) { b[k] = i; b[k] = 2; k++; }",
        "{ b[k] = a[i]; if (a[i] > m) k++; }",
        "{ if (a[i] > m) k++; b[k] = a[i]; }",
        "if (a[i] > m) b[k += 2] = i;",
        "if (a[i] > m) { k++; if (a[i] > 5) b[k] = i; c[k] = 1; }",
        "if (a[i] > m) b[k++] = i; else c[k] = i;",
        "if (a[i] > m) { b[k++] = i; s += k; }",
        "if (a[i] > m) { b[k] = i; k++; c[k & 3] = i; }",
        "if (a[i] > m) b[k--] = i;",
    ],
)
def test_what_is_none(body: str) -> None:
    found = scheme_of(body)
    assert found is None, found


RINGS = ["unsigned char k", "unsigned short k", "signed char k", "short k", "char k"]


@pytest.mark.parametrize("counter", RINGS)
def test_a_counter_that_goes_round_packs_nothing(counter: str) -> None:
    text = f"int a[99], b[99]; int f(int n) {{ {counter} = 0; "
    text += "for (int i = 0; i < n; i++) if (a[i] > 5) b[k++] = i; return k; }"
    assert loops_of(text)[0].scheme is None


@pytest.mark.parametrize("counter", ["int k", "unsigned k", "long k", "size_t k"])
def test_a_counter_with_room_packs(counter: str) -> None:
    text = f"#include <stddef.h>\nint a[99], b[99]; long f(int n) {{ {counter} = 0; "
    text += "for (int i = 0; i < n; i++) if (a[i] > 5) b[k++] = i; return k; }"
    assert loops_of(text)[0].scheme is not None
