"""Bounds in memory that some pointer might reach: parallel on the condition that nothing writes them."""

from __future__ import annotations

import pytest

from species import analyse
from species.facts.loops import LoopFacts, Verdict
from species.source import PreprocessOptions, read_translation_unit

HEAD = "int n, m, *a; struct C { int n, *data, *other; }; void g(int *);"

CONDITIONAL = {
    "a global": "void f(void) { for (int i = 0; i < n; i++) a[i] = i; }",
    "an unsigned iterator that stays below it": "void f(void) { for (unsigned i = 0; i < n; i++) a[i] = i; }",
    "a member": "void f(struct C *c) { for (int i = 0; i < c->n; i++) c->data[i] = 2 * c->data[i]; }",
    "an element": "void f(int *q) { for (int i = 0; i < q[0]; i++) a[i] = i; }",
    "counting down": "void f(void) { for (int i = n - 1; i >= n - 10; i--) a[i] = i; }",
    "an inner loop has the same": """void f(int *restrict b) {
        for (int i = 0; i < n; i++) for (int j = 0; j < 8; j++) a[8 * i + j] = j; }""",
    "a length of rows, too": """void f(int *p) {
        for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) p[i * n + j] = i; }""",
    "read again after a write": """void f(int *p, int *restrict q) {
        for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { p[i * n + j] = i; q[i * n + j] = j; } }""",
    "written on one of two ways": """void f(int *p, int *restrict q, int c) {
        for (int i = 0; i < n; i++) { if (c) p[i] = i; q[i + n] = c; } }""",
    "read after an inner loop": """void f(int *p, int *restrict q) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) p[i * m + j] = j;
            q[i * 4 + m / 9] = n; } }""",
}
# The same where no bound is in memory that a pointer might reach.
SUBSCRIPTS = {
    "a global": "void f(int *p) { for (int i = 0; i < 9; i++) p[i + n] = i; }",
    "a row": """void f(int *p) {
        for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++) p[i * 9 + j + n] = i; }""",
    "a member": """void f(struct C *c) {
        for (int i = 0; i < 9; i++) { c->data[i] = 1; c->other[c->n + i] = 2; } }""",
}
PARALLEL = {
    "memory of its own": """void *malloc(unsigned long); int f(void) { int *p = malloc(400);
        for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) p[i * n + j] = i;
        return p[n]; }""",
    "promised to be others": """void f(int *restrict p, int *restrict q) {
        for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { p[i * n + j] = i; q[i * n + j] = j; } }""",
    "of another type": """void f(float *p) {
        for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) p[i * n + j] = i; }""",
}
SERIAL = {
    "it is written": "void f(void) { for (int i = 0; i < n; i++) { a[i] = i; n = n - 1; } }",
    "it may be written by a call": "void f(void) { for (int i = 0; i < n; i++) g(a); }",
    "a member that is written": """void f(struct C *c) {
        for (int i = 0; i < c->n; i++) { c->data[i] = 1; c->n -= 1; } }""",
    "all of the structure is written": """void f(struct C *c, struct C *d) {
        for (int i = 0; i < c->n; i++) { c->data[i] = 1; *c = *d; } }""",
    "it may wrap around": "void f(void) { for (unsigned i = 0; i <= n; i++) a[i] = i; }",
    "another variable counts with it": """void f(void) {
        int k = 0; for (int i = 0; i < n; i++) { a[k] = a[k + 1]; k += 2; } }""",
    "it is the array itself": "void f(void) { for (int i = 0; i < a[3]; i++) a[i] = i; }",
    "the length of rows is what is written": """void f(void) { int *p = &n;
        for (int i = 0; i < 9; i++) { a[i * n] = i; *p = 3; } }""",
    "the length of rows is written by its name": """void f(int *restrict p) {
        for (int i = 0; i < 9; i++) { p[i * n] = i; n = 3 - n; } }""",
    "the bound is what is written": "void f(int *q) { for (int i = 0; i < *q; i++) q[i] = i; }",
}


def loops(text: str) -> tuple[LoopFacts, ...]:
    facts = analyse(read_translation_unit("/tmp/bounds.c", PreprocessOptions(), text=HEAD + text))
    return facts.loops


@pytest.mark.parametrize("name", CONDITIONAL)
def test_is_conditional(name: str) -> None:
    found = loops(CONDITIONAL[name])[0]
    assert found.verdict is Verdict.CONDITIONAL, found.reasons
    assert found.conditions and not found.openmp  # an `if` clause would still fix the bound before the loop
    assert not found.exact


@pytest.mark.parametrize("name", SUBSCRIPTS)
def test_subscripts_are_conditional(name: str) -> None:
    found = loops(SUBSCRIPTS[name])[0]
    assert found.verdict is Verdict.CONDITIONAL, found.reasons


@pytest.mark.parametrize("name", PARALLEL)
def test_is_parallel(name: str) -> None:
    found = loops(PARALLEL[name])[0]
    assert found.verdict is Verdict.PARALLEL and found.openmp, found.reasons


@pytest.mark.parametrize("name", SERIAL)
def test_is_serial(name: str) -> None:
    assert loops(SERIAL[name])[0].verdict is Verdict.SERIAL


def test_inner_loops_do_not_trust_it() -> None:
    """Where `a` reaches `n`, an iteration may begin beyond the n that the outer loop began with."""
    found = loops("""void f(int *restrict b) { m = n;
        for (int i = 0; i < n; i++) { a[i] = i + 9; for (int j = 0; j < 4; j++) b[j * (i < m)] = j; } }""")
    assert found[1].verdict is Verdict.SERIAL


def test_what_follows_does_not_trust_it() -> None:
    found = loops("""void f(int *restrict b) { int i;
        for (i = 0; i < n; i++) a[i] = i;
        for (int j = 0; j < 9; j++) b[(i - n) * j] = j; }""")
    assert found[1].conditions == ("n > i",)


ACCESSORS = """typedef struct { int rows, cols; double *cells; } mat;
    static double get(const mat *m, int i, int j) { return m->cells[i * m->cols + j]; }
    static void set(mat *m, int i, int j, double x) { m->cells[i * m->cols + j] = x; }
    """


@pytest.mark.parametrize(
    "body",
    [
        "set(c, i, j, i);",
        "c->cells[i * c->cols + j] = get(a, i, j);",
        "set(c, i, j, get(a, i, j) + get(b, i, j));",
        "double s = 0; for (int k = 0; k < a->cols; k++) s += get(a, i, k) * get(b, k, j); set(c, i, j, s);",
    ],
)
def test_members_that_callees_read_have_names(body: str) -> None:
    nest = f"for (int i = 0; i < c->rows; i++) for (int j = 0; j < c->cols; j++) {{ {body} }}"
    found = loops(f"{ACCESSORS} void f(const mat *a, const mat *b, mat *c) {{ {nest} }}")
    assert {loop.verdict for loop in found[:2]} <= {Verdict.CONDITIONAL, Verdict.PARALLEL}


PIXELS = {
    "a variable": "for (int y = 0; y < n; y++) for (int x = 0; x < m; x++) image[y * m + x] = 0;",
    "a structure": """for (int y = 0; y < c->n; y++)
        for (int x = 0; x < 9; x++) c->pixels[y * 9 + x] = 255 - x;""",
    "a pointer to a row": """for (int y = 0; y < c->n; y++) {
        unsigned char *row = c->pixels + y * c->stride; for (int x = 0; x < m; x++) row[x] = 0; }""",
    "two structures": """for (int y = 0; y < c->n; y++) for (int x = 0; x < 9; x++)
        c->pixels[y * 9 + x] = d->pixels[y * d->stride + x];""",
}
MOVED = {
    "the pointer is set": "for (int y = 0; y < n; y++) { image[y] = 0; image = d->pixels; }",
    "the pointer moves": "for (int y = 0; y < n; y++) { image[y] = 0; image++; }",
    "its own bytes": "for (int y = 0; y < 8; y++) { ((unsigned char *)&image)[y] = 0; image[y] = 1; }",
    "the size's bytes": "for (int y = 0; y < 4; y++) { ((unsigned char *)&n)[y] = 0; image[y * n] = 1; }",
    "a call": "for (int y = 0; y < n; y++) { image[y] = 0; g(&n); }",
}
IMAGES = "unsigned char *image; struct I { int n, stride; unsigned char *pixels; };"


@pytest.mark.parametrize("name", [*PIXELS, *MOVED])
def test_characters_may_be_a_part_of_anything(name: str) -> None:
    """Sizes, and pointers to what is written: conditions say that they are none of it."""
    found = loops(f"{IMAGES} void f(struct I *c, const struct I *d) {{ {(PIXELS | MOVED)[name]} }}")[0]
    assert found.verdict is (Verdict.CONDITIONAL if name in PIXELS else Verdict.SERIAL), found.reasons


def test_reports_of_serial_loops_do_not_trust_it() -> None:
    """`p` may reach q[0]: then other elements than 0, 2, 4 ... are written."""
    found = loops(
        "void f(int *p, int *q) { for (int i = 0; i < 9; i++) { q[0] = 2; p[i] = 3; a[q[0] * i] = i; } }"
    )
    assert found[0].verdict is Verdict.SERIAL
    assert "a" not in [c.name for c in found[0].characterisations if c.exact]
