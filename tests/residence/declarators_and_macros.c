#include <stdio.h>
#include <stdlib.h>
#define HAVE(x) if (A[x] > 1)
#define OPEN {
static double A[100], B[100], *P;
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }
static void lookup(int n) OPEN printf("%g %d\n", A[n], n); }
static double last(void) { k(); { k(); } return ({ double z[3] = { A[1], A[2] }, w = z[1]; w; }); }
static int rows(int n) { double M[3][100]; for (int i = 0; i < 100; i++) 1[M][i] = i + n; return (int)(2 - 1)[M][3]; }
static double (*table[2])(void) = { last, last };
static void swap(double **p, double **q) { double *t = *p, *s = *q; *p = s; *q = t; }
int main(void) {
  k(); lookup(3); HAVE(4) k(); else A[4] = 1; lookup(4);
  printf("%g %d\n", last(), rows(2)); printf("%g\n", table[1]());
  P = malloc(800); double *Q = B; for (int i = 0; i < 100; i++) P[i] = A[i] + 1;
  swap(&P, &Q); k(); P[3] = 5; for (int i = 0; i < 100; i++) Q[i] += P[i]; printf("%g %g\n", 3[Q], (&3[P])[0]);
  int n = 3; double v[n], u = n > 2 ? A[n] : 0, w = ({ v[0] = u; v[0]; }); printf("%g\n", w);
  for (int i = 0, m[2] = { 1, 2 }, j = m[1]; i < j; i++) { k(); double a[1] = { A[i] }, b = *a + A[i + 1]; printf("%g\n", b); }
  sizeof (int[]){ 1, 2 }, k(), A[2] = 4; k(); printf("%g\n", A[2]);
  struct { double d[4]; int e : 3; } s = { .d = { A[1], A[2] }, .e = 1 }, t = s; k(); printf("%g %d\n", t.d[1] + s.d[0], t.e);
  return 0; }
