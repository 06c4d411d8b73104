"""Memory that every iteration allocates and frees: in structures, in functions; and callees told apart by calls.

Each loop is parallel; in its sibling somebody else gets to know the memory, or gets other memory.
"""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import pytest

from tests.support.analysing import loops_of, outermost

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct matrix { size_t rows, cols; double *data; };
struct work { int *heap, *pos; double *dist; int n; };
struct list { int *item; int len, room; };
static double xs[1000]; static int *kept; static struct work *last; static int known[1000];
static struct matrix matrix_new(size_t r, size_t c) { struct matrix m = { r, c, calloc(r * c, sizeof(double)) }; if (!m.data) { perror("matrix"); exit(1); } return m; }
static struct matrix named_new(size_t r) { struct matrix m = { .rows = r, .data = calloc(r, sizeof(double)) }; if (m.data == NULL) { perror("matrix"); exit(1); } return m; }
static int work_init(struct work *w, int n) { w->n = n; w->heap = malloc(n * sizeof(int)); w->pos = malloc(n * sizeof(int)); w->dist = malloc(n * sizeof(double)); return w->heap && w->pos && w->dist; }
static void work_free(struct work *w) { free(w->heap); free(w->pos); free(w->dist); }
static int push(struct list *h, int x) { if (h->len == h->room) { int c = h->room ? 2 * h->room : 16; int *p = realloc(h->item, c * sizeof(int)); if (!p) return -1; h->item = p; h->room = c; } h->item[h->len++] = x; return 0; }
static int count(int s, int n, int *found) { struct list h = { NULL, 0, 0 }; int rc = -1; unsigned char *seen = calloc(n, 1); *found = 0;
  if (!seen || push(&h, s)) goto out;
  while (h.len) { int v = h.item[--h.len]; ++*found; if (!seen[v]) { seen[v] = 1; if (push(&h, (v * 7 + 3) % n)) goto out; } }
  rc = 0;
out: free(h.item); KEEP free(seen); return rc; }
static const double *row(const struct matrix *m, size_t r) { return m->data + r * m->cols; }
static double total(const double *from, size_t n) { double s = 0; while (n) { size_t k = n & 3 ? 1 : 4; for (size_t j = 0; j < k; j++) s += from[j]; from += k; n -= k; } return s; }
"""
LOOP = "for (int k = 0; k < n; k++)"
MAIN = 'int main(int c, char **v) { double y[1000]; f(c * 900, y); printf("%g %d\\n", y[3], known[2]); return 0; }'
WORK = "w.heap[0] = k; w.pos[1] = k; for (int j = 0; j < 9; j++) w.dist[j] = xs[k] + w.heap[0]; y[k] = w.dist[k % 9]; "
SUM = "struct matrix A = matrix_new(3, 3); for (size_t r = 0; r < 3; r++) A.data[r * 4] += row(&x, k)[r]; y[k] = A.data[4]; "
PAIRS = {
    "a structure that is given back": (
        f"static void f(int n, double *y) {{ struct matrix x = matrix_new(n, 3); {LOOP} {{ {SUM} free(A.data); }} free(x.data); }}",
        f"static void f(int n, double *y) {{ struct matrix x = matrix_new(n, 3); {LOOP} {{ {SUM} free(k ? A.data : x.data); }} }}",
    ),
    "a member that is named": (
        f"static void f(int n, double *y) {{ {LOOP} {{ struct matrix m = named_new(9); m.data[2] = xs[k]; y[k] = m.data[2] + m.data[3]; free(m.data); }} }}",
        f"static void f(int n, double *y) {{ struct matrix m = named_new(9); {LOOP} {{ m.data[2] += xs[k]; y[k] = m.data[2] + m.data[3]; }} free(m.data); }}",
    ),
    "members that a function sets": (
        f"static void f(int n, double *y) {{ {LOOP} {{ struct work w; if (!work_init(&w, 9)) continue; {WORK} work_free(&w); }} }}",
        f"static void f(int n, double *y) {{ {LOOP} {{ struct work w; if (!work_init(&w, 9)) continue; {WORK} if (k & 1) {{ free(kept); kept = w.pos; }} else free(w.pos); free(w.heap); free(w.dist); }} }}",
    ),
    "a structure that stays": (
        f"static void f(int n, double *y) {{ {LOOP} {{ struct work w; if (!work_init(&w, 9)) exit(1); {WORK} work_free(&w); }} }}".replace("exit(1)", "continue"),
        f"static void f(int n, double *y) {{ struct work w; work_init(&w, 9); {LOOP} {{ w.dist[k % 9] += xs[k]; y[k] = w.dist[(k + 1) % 9]; }} work_free(&w); }}",
    ),
    "a function's own heap": (
        f"static void f(int n, double *y) {{ {LOOP} if (count(k, 99, &known[k])) y[k] = 1; else y[k] = 2; }}",
        f"static void f(int n, double *y) {{ {LOOP} if (count(k, 99, &known[k / 2])) y[k] = 1; else y[k] = 2; }}",
    ),
    "one call of two": (
        f"static void f(int n, double *y) {{ double *z = calloc(9000, sizeof *z); {LOOP} y[k] = total(z + 8 * k, 8); y[0] = total(y, 900); free(z); }}",
        f"static void f(int n, double *y) {{ double *z = calloc(9000, sizeof *z); {LOOP} y[k] = total(y + k, 8); y[0] = total(z, 900); free(z); }}",
    ),
}  # fmt: skip


def _with(text: str, keep: str = "") -> str:
    return HEAD.replace("KEEP", keep) + text + MAIN


@pytest.mark.parametrize("name", PAIRS)
def test_memory_of_iterations(name: str) -> None:
    found = outermost(_with(PAIRS[name][0]))
    assert found.verdict.is_parallel, found.reasons


@pytest.mark.parametrize("name", PAIRS)
def test_memory_of_others(name: str) -> None:
    assert not outermost(_with(PAIRS[name][1])).verdict.is_parallel


KEEPING = ("kept = h.item; ", "if (kept) free(kept); kept = NULL; ", "static int *cache; cache = h.item; ")


@pytest.mark.parametrize("keep", KEEPING)
def test_functions_that_keep_their_memory(keep: str) -> None:
    text = PAIRS["a function's own heap"][0]
    assert not outermost(_with(text, keep)).verdict.is_parallel


def test_tables_of_tables_are_asked_of_by_rows_side_by_side() -> None:
    text = "void f(double ***a, double ***b) { for (int k = 0; k < 9; k++) for (int j = 1; j < 70; j++) for (int i = 1; i < 80; i++) b[k][j][i] = a[k][j - 1][i] + a[k][j][i] + a[k][j + 1][i]; }"
    assert "cuvier_planes_apart(a" in " ".join(loops_of(text)[0].conditions)
    text = text.replace("a[k][j][i] + ", "")
    assert loops_of(text)[0].verdict.is_parallel  # each pointer between is read in one of the iterations
    assert not loops_of(text.replace("j++", "j += 3"))[0].verdict.is_parallel  # of three, one is not
