#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 64
static int x[N];

static int g[N], other[N];
union u { int *p; unsigned long w; };
int main(void) {
  union u a, b;
  for (int i = 1; i < N; i++) x[i] = i - 1;
  int **pp = &a.p, **qq = &b.p;
  *qq = other;
  *pp = g;
  b.w = a.w;
  int *q = *qq;
  for (int i = 1; i < N; i++) g[i] = q[x[i]] + 1;  // LOOP
  printf("%d\n", g[N - 1]);
}
