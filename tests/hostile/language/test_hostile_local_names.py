"""Kernels are functions of their own: what their loop's function declares for itself means nothing there."""

from __future__ import annotations

import pytest

from species.facts.loops import Kernel, LoopFacts, Verdict
from tests.support.analysing import loops_of

_HEAD = "int a[100], b[100]; enum { OUT = 2 }; typedef unsigned char outer; struct far { int x; };"


def _loop(body: str) -> LoopFacts:
    found = loops_of(f"{_HEAD} void f(int n) {{ {body} }}")[-1]
    assert found.verdict is Verdict.PARALLEL
    return found


def _kernel(loop: LoopFacts) -> Kernel:
    assert loop.kernel is not None
    return loop.kernel


LOCAL = {
    "a constant": "enum { RED = 3 }; for (int i = 0; i < n; i++) a[i] = RED;",
    "a constant of a variable's type": "enum { RED = 3 } k; k = RED; for (int i = 0; i < n; i++) a[i] = RED;",
    "a constant in a bound": "enum { M = 30 }; for (int i = 0; i < M; i++) a[i] = 1;",
    "a constant in a block": "if (n > 3) { enum { M = 30 }; for (int i = 0; i < M; i++) a[i] = 1; }",
    "a type": "typedef unsigned char byte; for (int i = 0; i < n; i++) a[i] = (byte)i;",
    "a type of the iterator": "typedef short byte; for (byte i = 0; i < 9; i++) a[i] = 1;",
    "a structure": "struct s { int x; }; for (int i = 0; i < n; i++) { struct s t = {i}; a[i] = t.x; }",
    "a size": "struct s { int x; }; for (int i = 0; i < n; i++) a[i] = sizeof(struct s);",
    "a variable's type": "typedef int word; word k = n; for (int i = 0; i < n; i++) a[i] = k;",
    "a structure without a name": "struct { int x; } t = {n}; for (int i = 0; i < n; i++) a[i] = t.x;",
    "a constant that hides one": "enum { OUT = 3 }; for (int i = 0; i < n; i++) a[i] = OUT;",
}


@pytest.mark.parametrize("body", LOCAL.values(), ids=LOCAL.keys())
def test_no_kernel_names_what_only_its_function_knows(body: str) -> None:
    assert _kernel(_loop(body)).obstacles


def test_no_kernel_calls_a_function_that_only_its_function_declares() -> None:
    declared, loop = "int g(int);", "for (int i = 0; i < n; i++) a[i] = g(i);"
    defined = "int g(int k) { return k + 1; }"
    assert _kernel(loops_of(f"{_HEAD} void f(int n) {{ {declared} {loop} }} {defined}")[0]).obstacles
    assert not _kernel(loops_of(f"{_HEAD} {declared} void f(int n) {{ {loop} }} {defined}")[0]).obstacles


SHARED = {
    "a constant": "for (int i = 0; i < n; i++) a[i] = OUT;",
    "a type": "for (int i = 0; i < n; i++) a[i] = (outer)i;",
    "a constant of the loop": "for (int i = 0; i < n; i++) { enum { RED = 3 }; a[i] = RED; }",
    "a type of the loop": "for (int i = 0; i < n; i++) { typedef unsigned char byte; a[i] = (byte)i; }",
    "a structure of the loop": "for (int i = 0; i < n; i++) { struct { int x; } t = {i}; a[i] = t.x; }",
    "a type that it does not use": "typedef char byte; byte k = n; for (int i = 0; i < n; i++) a[i] = 1;",
    "plain variables": "int k = n, m[4] = {n}; for (int i = 0; i < n; i++) a[i] = k + m[1];",
}


@pytest.mark.parametrize("body", SHARED.values(), ids=SHARED.keys())
def test_a_kernel_names_what_everybody_knows(body: str) -> None:
    assert not any("local to this function" in reason.message for reason in _kernel(_loop(body)).obstacles)


def test_a_type_without_a_name_is_not_named_by_a_number() -> None:
    body = "enum { RED = 3 } k[100]; for (int i = 0; i < n; i++) k[i] = i; b[0] = k[1];"
    (reason,) = (r for r in _kernel(_loop(body)).obstacles if "local to this function" in r.message)
    assert reason.message == "'enum' without a name is local to this function"
