"""C that deceives what is known of calls: arguments set in part, pointers that get away, allocators."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from species.symbols.effect_table import read_table
from tests.support.analysing import loops_of

_HEAD = """#include <stdlib.h>
    #include <string.h>
    #include <stdio.h>
    #include <math.h>
    int a[100]; double x[100], y[100]; char ga[100]; static char *kept;
"""

SERIAL = {
    "a text that is shorter than its room": """int b[100];
        void f(int n) { char t[8];
            for (int i = 0; i < n; i++) { snprintf(t, 8, "%d", b[i]); a[i] = t[3]; } }""",
    "a quotient that stays for infinities": """
        void f(int n) { int q = 0;
            for (int i = 0; i < n; i++) { x[i] = remquo(x[i], y[i], &q); a[i] = q; } }""",
    "memcpy of too few elements": """void f(int n, int m) { int t[10];
        for (int i = 0; i < n; i++) { memcpy(t, a + i, m * sizeof *t); x[i] = t[4]; } }""",
    "memset of bytes, not of elements": """void f(int n) { int t[10];
        for (int i = 0; i < n; i++) { memset(t, i, 10); x[i] = t[4]; } }""",
    "an argument that is not always set": """
        static int set(int *p, int i) { if (i % 3 == 0) return -1; *p = i; return 0; }
        void f(int n) { int t = 0; for (int i = 0; i < n; i++) { set(&t, i); a[i] = t; } }""",
    "an end pointer is where the next one starts": """
        void f(int n) { char *e = ga; for (int i = 0; i < n; i++) x[i] = strtod(e, &e); }""",
}


@pytest.mark.parametrize("text", SERIAL.values(), ids=SERIAL.keys())
def test_stays_serial(text: str) -> None:
    assert loops_of(_HEAD + text)[-1].verdict is Verdict.SERIAL


ESCAPES = {
    "strtod stores it": "strtod(t, &e);",
    "strtok_r stores it": 'strtok_r(t, " ", &e);',
    "strchr returns it": "e = strchr(t, 'x');",
    "memchr returns it": "e = memchr(t, 'x', 9);",
    "strcpy returns it": 'e = strcpy(t, "x");',
    "a cast of a result": "e = (char *)strpbrk(t, ga);",
    "the address of an element": "keep(t);",
    "an element further in": "keep_part(t);",
    "the value of an assignment": "char *q; e = q = t;",
}


@pytest.mark.parametrize("text", ESCAPES.values(), ids=ESCAPES.keys())
def test_a_pointer_gets_away_through_a_call(text: str) -> None:
    helpers = """static void keep(char *p) { kept = p; } static void keep_part(char *p) { kept = &p[3]; }"""
    name = "kept" if "keep" in text else "e"
    loop = f"for (int i = 0; i < n; i++) t[i] = {name}[i + 1];"
    (found,) = loops_of(f"{_HEAD}{helpers} void f(int n) {{ char t[100], *e = ga; {text} {loop} }}")
    assert found.verdict is not Verdict.PARALLEL


CHAINED = {
    "two variables": "char *p, *q; p = q = malloc(80);",
    "an initialiser": "char *q, *p = (q = malloc(80));",
    "a choice": "char *q, *p = n ? (q = malloc(80)) : 0;",
    "an offset": "char *q, *p = (q = malloc(80)) + 1;",
    "an address": "char *q, *p = &(q = malloc(80))[1];",
    "a comma": "char *q, *p = (n++, q = malloc(80));",
    "a row": "char *q, *p[2] = {0, q = malloc(80)};",
    "a comparison as well": "char *q, *p; if ((p = q = malloc(80)) == 0) return;",
}


@pytest.mark.parametrize("text", CHAINED.values(), ids=CHAINED.keys())
def test_an_allocation_is_assigned_to_two_pointers(text: str) -> None:
    name = "p[1]" if "p[2]" in text else "p"
    loop = f"for (int i = 0; i < n; i++) q[i] = {name}[i + 1];"
    (found,) = loops_of(f"{_HEAD} void f(int n) {{ {text} {loop} }}")
    assert found.verdict is not Verdict.PARALLEL


@pytest.mark.parametrize(
    "test", ["(q = malloc(80)) == NULL", "!(q = malloc(80))", "(q = malloc(80)) && n < 0"]
)
def test_a_test_of_an_allocation_gives_nobody_the_pointer(test: str) -> None:
    body = f"char *q; if ({test}) return; for (int i = 0; i < n; i++) q[i] = ga[i + 1];"
    (found,) = loops_of(f"{_HEAD} void f(int n) {{ {body} }}")
    assert found.verdict is Verdict.PARALLEL


def test_a_row_is_assigned_to_another_pointer_too() -> None:
    text = """double f(int n) { double **rows = malloc(8 * n), *q = 0;
        for (int i = 0; i < n; i++) if ((q = rows[i] = malloc(80)) == 0) return 1;
        for (int i = 0; i < 9; i++) rows[n - 1][i] = q[i + 1];
        return 0; }"""
    assert loops_of(_HEAD + text)[-1].verdict is not Verdict.PARALLEL


OWN_ALLOCATORS = {
    "malloc gives the same memory twice": """static double pool[100];
        static void *malloc(unsigned long n) { return pool; }
        void f(int n) {
            double *p = malloc(8), *q = malloc(8); for (int i = 0; i < n; i++) p[i] = q[i + 1]; }""",
    "malloc is defined further down": """static double pool[100]; void *malloc(unsigned long);
        void f(int n) { double *p = malloc(8); for (int i = 0; i < n; i++) p[i] = pool[i + 1]; }
        void *malloc(unsigned long n) { return pool; }""",
    "malloc is a parameter": """static double pool[100]; double *g(void) { return pool; }
        void f(int n, void *(*malloc)(int)) {
            double *p = malloc(8); for (int i = 0; i < n; i++) p[i] = pool[i + 1]; }""",
    "free keeps the pointer": """static double *kept, b[100]; static void free(void *p) { kept = p; }
        void f(int n) { free(b); for (int i = 0; i < n; i++) b[i] = kept[i + 1]; }""",
}


@pytest.mark.parametrize("text", OWN_ALLOCATORS.values(), ids=OWN_ALLOCATORS.keys())
def test_functions_of_the_file_have_the_names_of_allocators(text: str) -> None:
    assert loops_of(text)[-1].verdict is not Verdict.PARALLEL


def test_a_call_through_a_pointer_gets_an_array() -> None:
    text = "void f(void (*g)(char *)) { char t[9]; (*g)(t); for (int i = 0; i < 9; i++) t[i] = 0; }"
    assert loops_of(text)[0].verdict is Verdict.PARALLEL


def test_a_table_says_what_may_be_written() -> None:
    table = "- {effect: pure, functions: [f], writes: {1: one}, may_write: {2: [3], 4+: any}}"
    (effect,) = read_table(table, "t.yaml")
    assert [(t.argument, t.extent, t.rest, t.certain) for t in effect.writes] == [
        (1, "one", False, True),
        (2, (3,), False, False),
        (4, "any", True, False),
    ]


ADDRESSES = {
    "a cast": "static int get(long p, int k) { return k <= 0 ? *(int *)p : get(p, k - 1); }",
    "a member": "static int get(long p, int k) { return k <= 0 ? ((struct S *)p)->n : get(p, k - 1); }",
    "a variable": "static int get(long p, int k) { int *q = (int *)p; return k ? get(p, k - 1) : q[1]; }",
    "a union": """static int get(long p, int k) {
        union { long number; int *q; } u; u.number = p; return k <= 0 ? *u.q : get(p, k - 1); }""",
}


@pytest.mark.parametrize("text", ADDRESSES.values(), ids=ADDRESSES.keys())
def test_a_recursive_function_reads_through_a_number(text: str) -> None:
    body = "void f(int n) { for (int i = 0; i < n; i++) a[i] = get((long)(a + i + 1), 2); }"
    (loop,) = loops_of(f"struct S {{ int n; }}; int a[100]; {text} {body}")
    assert loop.verdict is Verdict.SERIAL


CONSTANT_POINTERS = {
    "a pointer": "static int *const q = a; static int get(int i, int d) { return d ? get(i, d - 1) : q[i]; }",
    "a table": """static int *const t[2] = {a, a};
        static int get(int i, int d) { return d ? get(i, d - 1) : t[1][i]; }""",
    "one of the function": """static int get(int i, int d) {
        static int *const q = a; return d ? get(i, d - 1) : *(q + i); }""",
    "a member": """static const struct { int *p; } s = {a};
        static int get(int i, int d) { return d ? get(i, d - 1) : s.p[i]; }""",
}


@pytest.mark.parametrize("text", CONSTANT_POINTERS.values(), ids=CONSTANT_POINTERS.keys())
def test_what_a_constant_pointer_leads_to_may_change(text: str) -> None:
    body = "void f(int n) { for (int i = 0; i < 99; i++) a[i + 1] = get(i, 2); }"
    (loop,) = loops_of(f"int a[100]; {text} {body}")
    assert loop.verdict is Verdict.SERIAL
