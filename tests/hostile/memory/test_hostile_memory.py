"""C that deceives about memory: who may have written what, through which pointer, behind which call."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

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
        void f(int v) { for (int i = 0; i < 100; i++) {
            int n = 0; put((char *)&n, v); a[n ? 0 : i] = i; } }""",
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
    "a %n": 'snprintf(line, 30, "%d%n", i, &len);',
    "a %n in sprintf": 'sprintf(line, "%d%hn", i, &len);',
    "a %n with a width": 'sprintf(line, "%-*.*lln", i, i, &len);',
    "a %n behind a macro": 'sprintf(line, "%d" COUNT, i, &len);',
    "a %n in code": 'sprintf(line, "%\\x6e", &len);',
    "a %n behind a percent sign": 'sprintf(line, "%%%n", &len);',
    "a format that nobody knows": "sprintf(line, format, i, &len);",
}


@pytest.mark.parametrize("call", FORMATS.values(), ids=FORMATS.keys())
def test_a_format_stores_numbers(call: str) -> None:
    text = f"""#define COUNT "%n"
        void f(const char *format) {{
        int len = 0; for (int i = 0; i < 100; i++) {{ char line[30]; {call} b[i] = len; }} }}"""
    assert loops_of(_HEAD + text)[0].verdict is Verdict.SERIAL
    before = f"""#define COUNT "%n"
        void f(int i, const char *format) {{
        char line[30]; int len = 0; {call} for (int k = 0; k < 100; k++) a[len ? 0 : k] = k; }}"""
    printed = before.replace("snprintf(line, 30,", "printf(").replace("sprintf(line,", "printf(")
    for each in (before, printed):
        loop = loops_of(_HEAD + each)[0]
        assert loop.verdict is Verdict.SERIAL or loop.conditions == ("len == 0",)


PLAIN_FORMATS = {
    "numbers": 'sprintf(line, "%d %5.2f%%n\\n", b[i], x[i]);',
    "text": 'snprintf(line, 30, "%-20s" "%c", name, 110);',
    "a format that nobody knows, of numbers": "sprintf(line, format, b[i], x[i]);",
}


@pytest.mark.parametrize("call", PLAIN_FORMATS.values(), ids=PLAIN_FORMATS.keys())
def test_other_formats_store_nothing(call: str) -> None:
    text = f"""char name[30]; void f(const char *restrict format) {{
        for (int i = 0; i < 100; i++) {{ char line[30]; {call} b[i] = line[1]; }} }}"""
    assert loops_of(_HEAD + text)[0].verdict is Verdict.PARALLEL


_SORTED = "struct S { int k, v[3]; } w[400]; struct S s[100][4]; int v[400];"
STRAYING = {
    "a neighbour": "return ((const int *)p)[4] - ((const int *)q)[4];",
    "the one before": "return ((const int *)p)[-1] - ((const int *)q)[-1];",
    "an offset": "return *((const int *)p + 4) - *((const int *)q + 4);",
    "a variable with an offset": "const int *l = p, *r = q; return *(l + 4) - *(r + 4);",
    "a variable that moves": "const int *l = p, *r = q; l += 4; r += 4; return *l - *r;",
    "a variable that is counted up": "const int *l = p, *r = q; l++; r++; return *l - *r;",
    "a variable that starts further": "const int *l = (const int *)p + 4, *r = (int *)q + 4; return *l - *r;",
    "a variable that is set": "const int *l, *r; l = (const int *)p + 4; r = q; return *l - *r;",
    "a parameter that moves": "p = (const int *)p + 4; return *(const int *)p - *(const int *)q;",
    "a callee that strays": "return far(p) - far(q);",
    "a callee that gets another": "return near((const int *)p + 4) - near((const int *)q + 4);",
    "a text without an end": "return strcmp(p, q);",
    "bytes": "return memcmp(p, q, 32);",
    "a number that is an address": "return *(int *)((long)p + 16) - *(int *)((long)q + 16);",
    "a choice": "return *(const int *)(q ? p : q) - *(const int *)q;",
    "a member further on": "return ((const struct S *)p + 1)->k - ((const struct S *)q + 1)->k;",
    "an element by its number": "const int *l = p; return 4[l] - *(const int *)q;",
    "members of something larger": "const struct S *l = p, *r = q; return l->k - r->v[2];",
}
STAYING = {
    "numbers": "return *(const int *)p - *(const int *)q;",
    "numbers, in variables": "int l = *(const int *)p, r = *(int *)q; return (l > r) - (l < r);",
    "pointers": "const int *l = p, *r = (const int *)q; return *l < *r ? -1 : *l > *r;",
    "the first of each": "const int *l = p, *r = q; return l[0] - r[0];",
    "a callee": "return near(p) - near(q);",
    "values": "return differ(*(const int *)p, *(const int *)q);",
    "a comparison of pointers": "if (p == q) return 0; return abs(*(const int *)p) - abs(*(const int *)q);",
}


def _sorting(body: str) -> Verdict:
    text = f"""{_HEAD}{_SORTED}
        static int near(const int *p) {{ return *p; }} static int far(const int *p) {{ return p[4]; }}
        static int differ(int l, int r) {{ return l - r; }}
        static int compare(const void *p, const void *q) {{ {body} }}
        void f(void) {{ for (int i = 0; i < 90; i++) qsort(&v[4 * i], 4, sizeof(int), compare); }}"""
    return loops_of(text)[0].verdict


@pytest.mark.parametrize("body", STRAYING.values(), ids=STRAYING.keys())
def test_a_comparator_reads_beyond_what_it_compares(body: str) -> None:
    assert _sorting(body) is Verdict.SERIAL


@pytest.mark.parametrize("body", STAYING.values(), ids=STAYING.keys())
def test_a_comparator_reads_what_it_compares(body: str) -> None:
    assert _sorting(body) is Verdict.PARALLEL


def test_a_structure_brings_a_pointer_along() -> None:
    bodies = ("s.p[3]", "*s.q[1]", "(s.p + 1)[2]")
    for body in bodies:
        text = f"""struct S {{ int *p, *q[2]; }} u;
            static int get(struct S *x, int k) {{ struct S s = *x; return k <= 0 ? {body} : get(x, k - 1); }}
            void f(void) {{ for (int i = 0; i < 100; i++) a[i] = get(&u, 2); }}"""
        assert loops_of(_HEAD + text)[0].verdict is Verdict.SERIAL
    text = """struct S { int *p; } u; static int get(struct S *x, int k) {
            struct S s = *x; int *p = s.p; return k <= 0 ? p[3] : get(x, k - 1); }
        void f(void) { for (int i = 0; i < 100; i++) a[i] = get(&u, 2); }"""
    assert loops_of(_HEAD + text)[0].verdict is Verdict.SERIAL
