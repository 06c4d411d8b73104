/* Functions over rows behind members, of one length or each of its own, called with rows that are apart, that
   overlap, that are empty or missing, and in no order. */
#include <stdio.h>
#include <stdlib.h>
#define N 40
#define CELLS 90
struct row { int n; double *v, *w; unsigned m; struct { float *p; long n; } in; };
struct set { struct row *rows; size_t count; struct row own[6]; };
struct lists { long sizes[N]; double *lists[N]; unsigned count; };
void whole(int n, int m, struct row *r) { for (int k = 0; k < n; k++) for (int i = 0; i < m; i++) r[k].v[i] = 2 * r[k].w[i] + 1; }
void columns(int m, struct set *s) { for (int i = 0; i < m; i++) for (size_t k = 0; k < s->count; k++) s->rows[k].v[i] += 0.5 * s->rows[k].w[i]; }
void own(int m, struct set *s, double *x) { for (int k = 0; k < 6; k++) { double *v = s->own[k].v; for (int i = 0; i < m; i++) v[i] += x[i]; } }
void inner(int n, int m, struct row *r, double **t) { for (int k = 0; k < n; k++) for (int i = 0; i < m; i++) r[k].in.p[i] = (float)t[k][i]; }
void each(int n, struct row *r) { for (int k = 0; k < n; k++) for (int i = 0; i < r[k].n; i++) r[k].v[i] = 3 * r[k].w[i] - 1; }
void shifted(int n, struct row *r) { for (int k = 0; k < n; k++) for (unsigned i = 1; i + 1 < r[k].m; i++) r[k].v[i] = r[k].w[i - 1] + r[k].w[i + 1]; }
void nested(struct set *s) { for (size_t k = 0; k < s->count; k++) { struct row *r = &s->rows[k]; for (long i = 0; i < r->in.n; i++) r->in.p[i] *= 2; } }
void jagged(int n, const int *length, double **t) { for (int k = 0; k < n; k++) for (int i = 0; i < length[k]; i++) t[k][i] = t[k][i] * 2 + k; }
void lists(struct lists *l, double a) { for (unsigned k = 0; k < l->count; k++) for (long i = 0; i < l->sizes[k]; i++) l->lists[k][i] = a * l->lists[k][i] + i; }
void totals(int n, struct row *r, double *total) { for (int k = 0; k < n; k++) { double t = 0; for (int i = 0; i < r[k].n; i++) t += r[k].v[i]; total[k] = t; } }
void backwards(int n, struct row *r) { for (int k = 0; k < n; k++) for (int i = r[k].n - 1; i >= 0; i--) r[k].v[r[k].n - 1 - i] = r[k].w[i]; }
static double check(int n, const double *x) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * (1 + i % 13); return s; }
static double data[N * CELLS + 1000];
static float halves[N * CELLS + 1000];
static void fill(void) { for (int i = 0; i < N * CELLS + 1000; i++) { data[i] = i % 17 + i % 5; halves[i] = (float)(i % 11); } }
int main(void) {
  struct row *rows = calloc(N, sizeof *rows);
  struct set set = { rows, N, { { 0 } } };
  struct lists *all = calloc(1, sizeof *all);
  double **table = malloc(N * sizeof *table), *x = malloc(CELLS * sizeof *x), total[N];
  int length[N];
  for (int way = 0; way < 7; way++) {
    fill();
    for (int k = 0; k < N; k++) {
      int at = way == 1 ? k * 7 % N : way == 2 ? N - 1 - k : k;
      int far = way == 3 ? 20 : way == 4 ? CELLS / 2 : CELLS;
      rows[k].n = way == 5 ? k % 4 * 9 - 9 : way == 4 ? CELLS / 2 : 10 + k;
      rows[k].v = way == 5 && rows[k].n <= 0 ? 0 : data + at * far;
      rows[k].w = way == 6 ? data + k * CELLS + 3 : data + at * far + CELLS / 2;
      rows[k].m = way == 5 ? (unsigned)k % 3 : 40;
      rows[k].in.p = halves + at * far, rows[k].in.n = rows[k].n;
      length[k] = rows[k].n, table[k] = rows[k].v;
      all->sizes[k] = rows[k].n, all->lists[k] = rows[k].v;
    }
    for (int k = 0; k < 6; k++) set.own[k] = rows[k * 3 % 6 + 6];
    for (int i = 0; i < CELLS; i++) x[i] = i;
    all->count = N, set.count = N;
    int m = way == 5 ? 0 : 30;
    whole(N, m, rows); columns(m, &set); own(m, &set, x); own(m, &set, way == 3 ? data + 50 : x); inner(N, m, rows, table);
    printf("%d: %.10g", way, check(N * CELLS, data));
    each(N, rows); printf(" %.10g", check(N * CELLS, data));
    if (way != 5) shifted(N, rows);
    nested(&set); jagged(N, length, table); lists(all, 0.25); totals(N, rows, total);
    printf(" %.10g", check(N * CELLS, data));
    backwards(N, rows); totals(N, rows, way == 3 ? data + 100 : total);
    double s = 0;
    for (int i = 0; i < N * CELLS; i++) s += halves[i] * (i % 7);
    printf(" %.10g %.10g %.10g\n", check(N * CELLS, data), check(N, total), s);
  }
  set.rows = 0, set.count = 0, all->count = 0;
  whole(0, 9, 0); whole(9, 0, 0); columns(9, &set); each(0, 0); shifted(-1, 0); nested(&set); jagged(0, 0, 0);
  lists(all, 1); totals(0, 0, 0); backwards(0, 0); inner(0, 9, 0, 0);
  return 0;
}
