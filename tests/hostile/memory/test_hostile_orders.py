"""Expressions whose parts C evaluates in any order (C11 6.5p3): what one writes, another has read before."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

HEAD = """static int put(int *t, int v) { *t = v; return v; }
static int add(int x, int y) { return x * 9 + y; }
int printf(const char *, ...); int a[100], b[100], m[100][100], t[2];
"""
SERIAL = {
    "arguments": "b[i] = add(put(&x, a[i]), x);",
    "arguments, the other way round": "b[i] = add(x, put(&x, a[i]));",
    "both sides of an assignment": "b[x & 63] = put(&x, i);",
    "both sides of a compound assignment": "b[i] += put(&x, a[i]) * x;",
    "an array and its subscript": "m[put(&x, i)][x] = 1;",
    "initialisers": "int v[2] = {put(&x, i), x}; b[i] = v[0] + v[1];",
    "elements as arguments": "b[i] = add(put(t, a[i]), t[0]);",
    "elements as subscripts": "b[t[0] & 63] = put(t, i);",
    "elements as operands": "b[i] = put(t, a[i]) + t[0];",
    "elements inside of other calls": "b[i] = add(add(1, put(t, a[i])), add(t[0], 2));",
}
PARALLEL = {
    "one statement after the other": "put(&x, a[i]); b[i] = x;",
    "the value of a call": "b[i] = add(put(&x, a[i]), 3) + i;",
    "an argument that the callee uses": "b[i] = add(put(t, a[i]), 1); b[i] += t[0];",
    "a comma": "b[i] = (put(&x, a[i]), x);",
    "and": "b[i] = put(&x, a[i]) && x;",
    "a condition": "b[i] = put(&x, a[i]) ? x : 3;",
}


def verdict(body: str) -> Verdict:
    return loops_of(f"{HEAD} void f(int n) {{ int x = 7; for (int i = 0; i < 64; i++) {{ {body} }} }}")[
        0
    ].verdict


@pytest.mark.parametrize("body", SERIAL.values(), ids=SERIAL.keys())
def test_operands_in_any_order(body: str) -> None:
    assert verdict(body) is Verdict.SERIAL


@pytest.mark.parametrize("body", PARALLEL.values(), ids=PARALLEL.keys())
def test_operands_in_order(body: str) -> None:
    assert verdict(body) is Verdict.PARALLEL


def test_strtok_r_writes_where_it_was_before() -> None:
    text = """#include <string.h>
        void tok(char *buf, int n, int *len) { for (int i = 0; i < n; i++) { char *save = buf;
            char *t = strtok_r(NULL, ",", &save); len[i] = t != NULL ? (int)(save - t) : 0; } }"""
    assert loops_of(text)[0].verdict is Verdict.SERIAL


@pytest.mark.parametrize("value", ["__builtin_strlen(s) - 1 - i > 3000000000L", "labs(x) + i > 6000000000L"])
def test_functions_that_nobody_declares_may_give_wide_numbers(value: str) -> None:
    text = f"""static int a[300]; void f(const char *s, long x, int n) {{
        for (int i = 0; i < n; i++) if ({value}) a[(unsigned char)i] = i; }}"""
    assert loops_of(text)[0].conditions == ("n <= 256",)
