"""C that deceives about memory: who may have written what, through which pointer, behind which call."""

from __future__ import annotations

import pytest
from analysing import loops_of

from species.facts import Verdict

_HEAD = """#include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    int a[200], b[200], c[200], t[20]; double x[200], y[200];
"""

OVERWRITTEN = {
    "a stride that is read": """void f(const char *s) { int stride = 1; sscanf(s, "%d", &stride);
        for (int i = 0; i < 100; i++) a[i * stride] = i; }""",
    "a number that is read": """void f(void) { int n = 0; scanf("%d", &n);
        for (int i = 0; i < 100; i++) a[n ? 0 : i] = i; }""",
    "bytes of a file": """void f(FILE *in) { int n = 0; fread(&n, 4, 1, in);
        for (int i = 0; i < 100; i++) a[n ? 0 : i] = i; }""",
    "a pointer that is copied": """void f(int **q) { int *p = b; memcpy(&p, q, sizeof p);
        for (int i = 1; i < 100; i++) a[i] = p[i - 1]; }""",
    "half of a number": """void f(short *s) { int n = 0; memcpy(&n, s, 2);
        for (int i = 0; i < 100; i++) a[n ? 0 : i] = i; }""",
    "one byte": """void f(int v) { int n = 0; *(char *)&n = v;
        for (int i = 0; i < 100; i++) a[n ? 0 : i] = i; }""",
    "bytes through a pointer": """void f(int v) { int n = 0; char *p = (char *)&n; p[1] = v;
        for (int i = 0; i < 100; i++) a[n ? 0 : i] = i; }""",
    "bytes by subscript": """void f(int v) { int n = 0; ((unsigned char *)&n)[v] = 1;
        for (int i = 0; i < 100; i++) a[n ? 0 : i] = i; }""",
    "a byte that is counted up": """void f(void) { int n = 0; ++*(unsigned char *)&n;
        for (int i = 0; i < 100; i++) a[n ? 0 : i] = i; }""",
    "all bytes set": """void f(void) { int *p = b; memset(&p, 0, sizeof p); if (!p) p = a;
        for (int i = 1; i < 100; i++) a[i] = p[i - 1]; }""",
    "a number inside of a loop": """void f(const char *s) { for (int i = 0; i < 100; i++) {
        int n = 0; sscanf(s, "%d", &n); a[n ? 0 : i] = i; } }""",
    "a byte inside of a loop": """void f(int v) { for (int i = 0; i < 100; i++) {
        int n = 0; *(char *)&n = v; a[n ? 0 : i] = i; } }""",
    "a pointer inside of a loop": """void f(int **q) { for (int i = 1; i < 100; i++) {
        int *p = b; memcpy(&p, q, sizeof p); a[i] = p[i - 1]; } }""",
    "a counter inside of a loop": """void f(void) { int k = 0;
        for (int i = 0; i < 100; i++) { a[k] = i; k++; *(char *)&k = 3; } }""",
    "a file's variable, through itself": """void **self; int *g; void f(void) { int *p; self = (void **)&self;
        int *q = (int *)*self; *self = a; p = (int *)self;
        for (int i = 1; i < 100; i++) p[i] = a[i - 1]; }""",
    "a member": """struct S { int n; }; void f(const char *s) { struct S v; v.n = 0; sscanf(s, "%d", &v.n);
        for (int i = 0; i < 100; i++) a[v.n ? 0 : i] = i; }""",
    "a structure's byte": """struct S { int n, m; }; void f(int v) { struct S s; s.n = 0; *(char *)&s = v;
        for (int i = 0; i < 100; i++) a[s.n ? 0 : i] = i; }""",
    "a member of a union": """union U { int n; char c[4]; }; void f(int v) { union U u; u.n = 0; u.c[1] = v;
        for (int i = 0; i < 100; i++) a[u.n ? 0 : i] = i; }""",
    "what a callee writes": """static void put(char *p, int v) { p[0] = v; }
        void f(int v) { for (int i = 0; i < 100; i++) { int n = 0; put((char *)&n, v); a[n ? 0 : i] = i; } }""",
}


@pytest.mark.parametrize("text", OVERWRITTEN.values(), ids=OVERWRITTEN.keys())
def test_overwritten_values_are_forgotten(text: str) -> None:
    assert loops_of(_HEAD + text)[0].verdict is not Verdict.PARALLEL


KEPT = {
    "another variable is read": """void f(const char *s) { int n = 0, m = 0; sscanf(s, "%d", &m);
        for (int i = 0; i < 100; i++) a[n ? 0 : i] = m; }""",
    "a whole number is copied": """void f(int *s) { int n; memcpy(&n, s, sizeof n);
        for (int i = 0; i < 100; i++) a[i] = n; }""",
    "an array's bytes": """void f(const char *s) { char line[20]; int n = 0; sscanf(s, "%s", line);
        for (int i = 0; i < 100; i++) a[n ? 0 : i] = line[3]; }""",
}


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT.keys())
def test_other_values_are_kept(text: str) -> None:
    assert loops_of(_HEAD + text)[0].verdict is Verdict.PARALLEL


FORMATS = {
    "a %n": 'snprintf(out[i], 30, "%d%n", i, &len);',
    "a %n in sprintf": 'sprintf(out[i], "%d%hn", i, &len);',
    "a %n with a width": 'sprintf(out[i], "%-*.*lln", i, i, &len);',
    "a %n behind a macro": 'sprintf(out[i], "%d" COUNT, i, &len);',
    "a %n in code": 'sprintf(out[i], "%\\x6e", &len);',
    "a %n behind a percent sign": 'sprintf(out[i], "%%%n", &len);',
    "a format that nobody knows": "sprintf(out[i], format, i, &len);",
}


@pytest.mark.parametrize("call", FORMATS.values(), ids=FORMATS.keys())
def test_a_format_stores_numbers(call: str) -> None:
    text = f"""#define COUNT "%n"
        char out[100][30]; void f(const char *format) {{
        int len = 0; for (int i = 0; i < 100; i++) {{ {call} b[i] = len; }} }}"""
    assert loops_of(_HEAD + text)[0].verdict is Verdict.SERIAL
    before = f"""#define COUNT "%n"
        char out[100][30]; void f(int i, const char *format) {{
        int len = 0; {call} for (int k = 0; k < 100; k++) a[len ? 0 : k] = k; }}"""
    assert loops_of(_HEAD + before)[0].verdict is Verdict.SERIAL
    printed = before.replace("snprintf(out[i], 30,", "printf(").replace("sprintf(out[i],", "printf(")
    assert loops_of(_HEAD + printed)[0].verdict is Verdict.SERIAL


PLAIN_FORMATS = {
    "numbers": 'sprintf(out[i], "%d %5.2f%%n\\n", b[i], x[i]);',
    "text": 'snprintf(out[i], 30, "%-20s" "%c", name, 110);',
    "a format that nobody knows, of numbers": "sprintf(out[i], format, b[i], x[i]);",
}


@pytest.mark.parametrize("call", PLAIN_FORMATS.values(), ids=PLAIN_FORMATS.keys())
def test_other_formats_store_nothing(call: str) -> None:
    text = f"""char out[100][30], name[30]; void f(const char *restrict format) {{
        for (int i = 0; i < 100; i++) {{ {call} }} }}"""
    assert loops_of(_HEAD + text)[0].verdict is Verdict.PARALLEL
