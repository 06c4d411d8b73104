#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

static double M[10][10]; struct S { int n; double v[10]; } s; enum { E = 2 };
static void km(void) { for (int i = 0; i < 10; i++) for (int j = 0; j < 10; j++) M[i][j] += i * j; }
static void ks(void) { for (int i = 0; i < 10; i++) s.v[i] += i; }
static double first(double *p, register int i) { return i[p] + 1[p + i]; }
int main(void) {
  register int i = 3, j = 4;
  double *h = malloc(800);
  for (int q = 0; q < 100; q++) h[q] = q;
  km(); printf("%g\n", j[i[M]]); km(); j[i[M]] = 2; km(); printf("%g %g\n", M[3][4], j[M[i]]);
  ks(); printf("%g\n", i[s.v]); ks(); i[(&s)->v] = 4; ks(); printf("%g %g\n", E[s.v], 3[s.v]);
  for (int q = 0; q < 100; q++) h[q] *= 2;
  printf("%g\n", i[h]); i[h] = 1;
  for (int q = 0; q < 100; q++) h[q] *= 2;
  printf("%g %g\n", i[h + 1], first(h, i));
  k(); printf("%g\n", i[(double *)A]); k(); (i + 1)[(double *)A] = 3; k(); printf("%g\n", first(A, j)); k(); i[A]++; k();
  register const double *p = &A[2]; printf("%g\n", i[p]); k(); printf("%g\n", *(i + A) + *(p + 1)); k(); for (i = 0; i < 3; i++) i[A] = i[B] + i; k(); printf("%g\n", 2[A]);
  free(h); return 0; }
