/* Functions over tables of rows, called with tables that are apart, that overlap, and that are not there. */
#include <stdio.h>
#include <stdlib.h>
#define N 70
double **alloc(int n, int m) {
  double **a = malloc(n * sizeof *a);
  for (int i = 0; i < n; i++) a[i] = malloc(m * sizeof **a);
  return a;
}
void mm(double **a, double **b, double **c) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      c[i][j] = 0;
      for (int k = 0; k < N; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
}
void st(int n, double **a, double **b) {
  for (int t = 0; t < 4; t++) {
  for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) b[i][j] = 0.2 * (a[i][j] + a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1]);
  for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) a[i][j] = b[i][j];
  }
}
void seidel(int n, double **a) {
  for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) a[i][j] = 0.2 * (a[i][j] + a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1]);
}
void tr(int n, double **a, double **b) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[j][i] = a[i][j]; }
void sums(int n, double **a, double *r, double *s) {
  for (int i = 0; i < n; i++) r[i] = s[i] = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { r[i] += a[i][j]; s[j] += a[i][j]; }
}
void lu(int n, double **a) {
  for (int k = 0; k < n; k++) for (int i = k + 1; i < n; i++) { a[i][k] /= a[k][k]; for (int j = k + 1; j < n; j++) a[i][j] -= a[i][k] * a[k][j]; }
}
void blur(int n, double ***v, double ***w) {
  for (int z = 0; z < n; z++) for (int y = 0; y < n; y++) for (int x = 1; x < n; x++) w[z][y][x] = v[z][y][x] + 0.5 * v[z][y][x - 1];
}
void turn(int n, double ***v, double **a) {
  for (int z = 0; z < n; z++) for (int y = 0; y < n; y++) { double *row = v[z][y]; for (int x = 0; x < n; x++) row[x] += a[y][x] * z; }
}
struct lanes { int count, length; double gain, *lane[8], *back[8]; };
static struct lanes all;
void lanes_copy(struct lanes *p) { for (int i = 0; i < p->length; i++) for (int q = 0; q < p->count; q++) p->back[q][i] = p->gain * p->lane[q][i]; }
void lanes_mix(struct lanes p, double *out) { for (int i = 0; i < p.length; i++) { double s = 0; for (int q = 0; q < p.count; q++) s += p.lane[q][i]; out[i] = s; } }
void lanes_turn(void) { for (int q = 0; q < all.count; q++) for (int i = 0; i < all.length; i++) all.back[q][i] += all.lane[all.count - 1 - q][i]; }
void lanes_each(struct lanes *p, int n) { for (int k = 0; k < n; k++) for (int i = 0; i < p[k].length; i++) for (int q = 0; q < 2; q++) p[k].back[q][i] -= p[k].lane[q + 1][i]; }
void lanes_counted(struct lanes *p) { for (int q = 0; q < 4; q++) { for (int i = 0; i < p->length; i++) p->lane[q][i] = 2 * p->back[q][i]; p->gain = q; } }
struct body { double x[3], v[3]; struct body *near; int id; };
struct world { int count; struct body **all; };
void drift(struct body **all, int n) { for (int k = 0; k < n; k++) { struct body *b = all[k]; for (int d = 0; d < 3; d++) { b->x[d] += 0.5 * b->v[d]; b->v[d] *= 0.75; } b->near = b; } }
void number(struct world *w) { for (int k = 0; k < w->count; k++) { w->all[k]->id = 3 * w->all[k]->id + k; w->all[k]->v[0] += w->all[k]->id; } }
void behind(struct body **all, int n) { for (int k = 1; k < n; k++) all[k]->x[0] += 0.5 * all[k - 1]->x[0]; }
double ids(struct body *pool, int n) { double s = 0; for (int k = 0; k < n; k++) s += (k % 7 + 1) * (pool[k].id + pool[k].x[0] + pool[k].v[0] + pool[k].x[2]) + (pool[k].near == &pool[k]); return s; }
double sum3(int n, double ***v) { double s = 0; for (int z = 0; z < n; z++) for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) s += v[z][y][x] * (1 + (z + y * 2 + x) % 5); return s; }
double check(int n, double **a) { double s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s += a[i][j] * ((i * 7 + j * 3) % 11); return s; }
int main(void) {
  double **a = alloc(N, N), **b = alloc(N, N), **c = alloc(N, N), *r = malloc(N * sizeof *r), *s = malloc(N * sizeof *s);
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { a[i][j] = (i * j) % 13; b[i][j] = (i + j) % 7; c[i][j] = 1; }
  mm(a, b, c); printf("%.10g\n", check(N, c));
  st(N, a, b); printf("%.10g %.10g\n", check(N, a), check(N, b));
  seidel(N, a); printf("%.10g\n", check(N, a));
  tr(N, a, c); printf("%.10g\n", check(N, c));
  sums(N, a, r, s); printf("%.10g %.10g\n", r[5], s[7]);
  for (int i = 0; i < N; i++) a[i][i] += 1000;
  lu(N, a); printf("%.10g\n", check(N, a));
  /* aliases: rows that overlap, tables that are one */
  mm(a, b, b); printf("%.10g\n", check(N, b));
  double *big = calloc(3 * N, sizeof *big), **o = malloc(N * sizeof *o);
  for (int i = 0; i < N; i++) o[i] = big + i;
  for (int i = 0; i < 3 * N; i++) big[i] = i % 17;
  st(N, o, c); printf("%.10g %.10g\n", check(N, o), check(N, c));
  tr(N, a, o); printf("%.10g\n", check(N, o));
  tr(N, a, a); printf("%.10g\n", check(N, a));
  sums(N, o, o[3], s); printf("%.10g %.10g\n", o[3][5], s[7]);
  lu(N, o); 
  /* planes: apart, one table, two tables that share rows, rows that overlap */
  double ***v = malloc(20 * sizeof *v), ***w = malloc(20 * sizeof *w), ***q = malloc(20 * sizeof *q);
  for (int z = 0; z < 20; z++) {
    v[z] = alloc(20, 20), w[z] = alloc(20, 20), q[z] = malloc(20 * sizeof **q);
    for (int y = 0; y < 20; y++) { q[z][y] = big + z * 3 + y; for (int x = 0; x < 20; x++) v[z][y][x] = z * x % 7 + y, w[z][y][x] = 1; }
  }
  blur(20, v, w); printf("%.10g\n", sum3(20, w));
  blur(20, v, v); printf("%.10g\n", sum3(20, v));
  turn(20, v, a); printf("%.10g\n", sum3(20, v));
  turn(20, v, v[3]); printf("%.10g\n", sum3(20, v));
  w[4] = v[5]; w[5][6] = v[7][8];
  blur(20, v, w); printf("%.10g %.10g\n", sum3(20, v), sum3(20, w));
  for (int i = 0; i < 3 * N; i++) big[i] = i % 5;
  blur(20, v, q); printf("%.10g\n", sum3(20, q));
  blur(20, q, v); printf("%.10g\n", sum3(20, v));
  double **swap = w[1]; w[1] = w[9]; w[9] = swap;
  blur(20, q, w); printf("%.10g\n", sum3(20, w));
  /* tables in structures: apart, with rows that are one, that overlap, without rows */
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { a[i][j] = (i * j) % 13; b[i][j] = (i + j) % 7; }
  struct lanes set[2] = {{8, N, 2, {0}, {0}}, {3, N - 8, 3, {0}, {0}}};
  for (int k = 0; k < 2; k++) for (int i = 0; i < 8; i++) { set[k].lane[i] = a[i + 8 * k]; set[k].back[i] = k ? big + 5 * i : b[i]; }
  for (int k = 0; k < 2; k++) {
    lanes_copy(&set[k]); lanes_mix(set[k], s); all = set[k]; lanes_turn(); lanes_counted(&set[k]);
    printf("%.10g %.10g %.10g %.10g\n", check(N, a), check(N, b), s[11], set[k].gain);
  }
  lanes_each(set, 2); printf("%.10g %.10g %.10g\n", check(N, a), check(N, b), big[20]);
  set[0].lane[2] = set[0].back[5]; set[0].back[1] = set[0].back[0] + 3; set[0].length = N - 3;
  lanes_copy(&set[0]); lanes_each(set, 1); all = set[0]; lanes_turn(); lanes_mix(set[0], set[0].lane[6]);
  printf("%.10g %.10g\n", check(N, a), check(N, b));
  set[0].count = 0; lanes_copy(&set[0]); set[1].length = 0; lanes_copy(&set[1]); lanes_each(0, 0);
  blur(0, 0, 0); turn(0, 0, 0);
  st(0, 0, 0); st(1, 0, 0); tr(0, 0, 0); sums(0, 0, 0, 0); seidel(2, 0); lu(0, 0);
  static struct body pool[N];
  struct body *some[N];
  struct world world = { N, some };
  for (int k = 0; k < N; k++) { some[k] = &pool[k * 29 % N]; pool[k].id = k; pool[k].x[0] = k; pool[k].v[0] = k % 5; pool[k].v[2] = 1; }
  drift(some, N); number(&world); behind(some, N); printf("%.10g\n", ids(pool, N));
  for (int k = 0; k < N; k += 3) some[k] = some[(k + 5) % N];
  drift(some, N); number(&world); behind(some, N); printf("%.10g\n", ids(pool, N));
  drift(NULL, 0); some[4] = NULL; drift(some, 3); printf("%.10g\n", ids(pool, N));
  return 0;
}
