"""C that deceives about arrays of iterations: what is certainly written, and who reads the last content."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

_HEAD = "int a[6000], b[6000], c[6000];"

UNCOVERED = {
    "continue goes to the condition of do": """int t[4]; t[0] = 0; for (int i = 0; i < n; i++) {
            int tries = 0;
        do { if (a[i] > 3) continue; t[0] = -1 - i; } while (tries++ < 3 && t[0] > -1 - i);
            b[i] = tries; }""",
    "continue goes to the condition of do, in a switch": """int t[4]; t[0] = 0;
        for (int i = 0; i < n; i++) { int tries = 0; do {
            switch (a[i]) { case 3: continue; } t[0] = i; } while (tries++ < 3 && t[0] > i);
            b[i] = tries; }""",
    "goto goes to the condition of do": """int t[4]; t[0] = 0; for (int i = 0; i < n; i++) { int tries = 0;
        do { if (a[i] > 3) goto on; t[0] = -1 - i; on: ; } while (tries++ < 3 && t[0] > -1 - i);
            b[i] = tries; }""",
    "continue goes to the condition of while": """int t[4]; t[0] = 0; for (int i = 0; i < n; i++) {
            int tries = 0;
        while (tries++ < 3 && t[0] > -1 - i) { if (a[i] > 3) continue; t[0] = -1 - i; } b[i] = tries; }""",
    "a stride that nobody knows": """if (s > 0) for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j += s) { t[j] = i; if (j > 0) b[i * 64 + j] = t[j - 1]; }""",
    "a stride that nobody knows, and a loop": """if (s > 0) for (int i = 0; i < 50; i++)
        for (int j = 0; j < 8; j += s) { t[j] = i; for (int k = 0; k <= j; k++) b[8 * i + k] += t[k]; }""",
    "a stride that nobody knows, outside": """if (s > 0) for (int i = 0; i < 50; i++) {
        for (int j = 0; j < 8; j += s) t[j] = i; for (int j = 0; j < 8; j++) b[8 * i + j] = t[j]; }""",
    "an inner loop that earlier iterations leave": """for (int i = 0; i < 50; i++) for (int j = 0;
            j < 8; j++) {
        for (int k = 0; k < 8; k++) { if (a[j] == k) break; t[k] = i; if (j > 0) b[i] += t[7 - k]; } }""",
    "an inner loop that earlier iterations leave by goto": """for (int i = 0; i < 50; i++)
        for (int j = 0; j < 8; j++) { for (int k = 0; k < 8; k++) {
            if (a[j] == k) goto on; t[k] = i; if (j > 0) b[i] += t[7 - k]; } on: ; }""",
    "an inner loop that later statements leave": """for (int i = 0; i < 50; i++) for (int j = 0; j < 4; j++)
        for (int k = 0; k < 8; k++) { if (j == 3) b[i] += t[k]; t[k] = i; if (a[i + k] > 50) break; }""",
}


@pytest.mark.parametrize("body", UNCOVERED.values(), ids=UNCOVERED.keys())
def test_an_array_is_not_written_for_certain(body: str) -> None:
    text = f"void f(int n, int s, int *z) {{ int t[64]; for (int k = 0; k < 64; k++) t[k] = z[k]; {body} }}"
    text = text if body.startswith(("if", "for")) else f"void f(int n) {{ {body} }}"
    loops = [loop for loop in loops_of(f"{_HEAD} {text}") if loop.depth == 0]
    assert loops[-1].verdict is not Verdict.PARALLEL


COVERED = {
    "a do loop without jumps": "int k = 0; do { t[k] = i; k++; } while (k < 8); b[i] = t[3];",
    "earlier iterations": "for (int j = 0; j < 8; j++) { t[j] = i; if (j > 0) b[i * 8 + j] = t[j - 1]; }",
    "a loop in earlier iterations": """for (int j = 0; j < 8; j++) {
        for (int k = 0; k < 8; k++) t[k] = i + j; for (int k = 0; k < 8; k++) b[i * 8 + k] = t[7 - k]; }""",
    "a stride, the same place": """if (s > 0) for (int j = 0; j < 64; j += s) { t[j] = i;
            b[i * 64 + j] = t[j]; }""",
}


@pytest.mark.parametrize("body", COVERED.values(), ids=COVERED.keys())
def test_an_array_is_written_for_certain(body: str) -> None:
    text = f"void f(int n, int s) {{ int t[64]; for (int i = 0; i < 64; i++) {{ {body} }} }}"
    assert loops_of(f"{_HEAD} {text}")[0].verdict is Verdict.PARALLEL


READERS = {
    "the start of a loop": "for (int i = t[0]; i < 100; i++) { t[1] = i; c[i] = t[1] + 1; }",
    "a declaration beside the start": "for (int i = 0, k = t[0]; i < 3; i++) { t[0] = 1; c[i] = t[0] + k; }",
    "an expression beside the start": """int i, k; for (i = 0, k = t[0]; i < 3; i++) { t[0] = 1;
            c[i] = t[0] + k; }""",
    "the bound of a loop": "for (int i = 0; i < t[0]; i++) { t[0] = 3; c[i] = t[0]; }",
    "the condition of a while loop": "while (t[0]-- > 0) { t[0] = 3; c[7] += t[0]; }",
    "the start of a loop in a loop": """for (int j = 0; j < 3; j++)
        for (int i = t[0]; i < 100; i++) { t[0] = i; c[i] = t[0] + 1; }""",
    "an `if` around a loop": "if (t[0] > 3) for (int i = 0; i < 3; i++) { t[0] = 1; c[i] = t[0]; }",
}


@pytest.mark.parametrize("body", READERS.values(), ids=READERS.keys())
def test_a_header_reads_the_last_content(body: str) -> None:
    text = """void f(int n) { int t[4] = {60, 60, 60, 60};
        for (int i = 0; i < n; i++) { t[0] = c[i]; t[1] = 2; b[i] = t[0] + t[1]; }"""
    loop = loops_of(f"{_HEAD} {text} {body} }}")[0]
    assert not loop.openmp or loop.lastprivate == ("t",)


AROUND = {
    "in the same outer loop": """int t[4] = {9}, r = 0; for (int z = 0; z < 3; z++) {
        for (int i = 0; i < n; i++) { t[0] = i; b[i] = t[0]; }
        for (int i = t[0]; i < 5; i++) { t[0] = i; r += t[0]; } } return r;""",
    "of the same loop": """int t[4] = {9}; for (int z = 0; z < 3; z++)
        for (int i = t[0]; i < n; i++) { t[0] = 7; b[i] = t[0] + z; } return 0;""",
    "of the same loop, at the next call": """static int t[4]; int z; for (z = 0; z < 1; z++) ;
        for (int i = t[0]; i < n; i++) { t[0] = 7; b[i] = t[0] + n; } return 0;""",
    "in another function": """for (int i = 0; i < n; i++) { T[0] = i; T[1] = a[i]; b[i] = T[0] + T[1]; }
        return rd();""",
}


@pytest.mark.parametrize("body", AROUND.values(), ids=AROUND.keys())
def test_a_header_elsewhere_reads_the_last_content(body: str) -> None:
    text = f"""static int T[4];
        static int rd(void) {{ int s = 0; for (int i = T[0]; i < 90; i++) {{ T[1] = i; s += T[1];
            }} return s; }}
        int f(int n) {{ {body} }}"""
    loop = [x for x in loops_of(f"{_HEAD} {text}") if x.function == "f"][-1 if "rd()" in body else 1]
    assert not loop.openmp or loop.lastprivate


def test_the_argument_is_an_offset_from_another_object() -> None:
    head = "static void sh(int *p, int *q) { for (int i = 0; i < 100; i++) p[i] = q[i] + 1; }"
    calls = (
        "sh((c + 5 - (c + 3)) + b, b + 1);",
        "sh(b + (c + 5 - (c + 3)), b + 1);",
        "sh((int *)((long)c - (long)c + (long)b), b + 1);",
        "sh(&c[5] - &c[3] + b, b + 1);",
        "sh((c - d) + b, b + 1);",
    )
    for call in calls:
        (loop,) = loops_of(f"{_HEAD} {head} void f(int *d) {{ {call} }}")
        assert loop.verdict is not Verdict.PARALLEL, call


def test_the_argument_is_an_offset_from_its_object() -> None:
    head = "static void sh(int *p, int *q) { for (int i = 0; i < 100; i++) p[i] = q[i] + 1; }"
    for call in ("sh(c + 5, b + n);", "sh(3 + c, &b[n]);", "sh(c + 3 - n, 2 * n + b);", "sh((int *)c, b);"):
        (loop,) = loops_of(f"{_HEAD} {head} void f(int n) {{ {call} }}")
        assert loop.verdict is Verdict.PARALLEL, call


def test_a_write_through_a_distance_of_pointers_has_the_type_of_the_pointer() -> None:
    text = """double x[100]; int f(int *p, double *y) { int s = 0, *q = &s;
        for (int i = 0; i < 100; i++) { *((y + 3 - y) + p) = i; a[i] = *q; } return s; }"""
    assert loops_of(f"{_HEAD} {text}")[0].verdict is not Verdict.PARALLEL
