#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 64
static int x[N];

static int g[N], other[N];
static void copy(long *d, const long *s, size_t n) { memcpy(d, s, n * sizeof *d); }
int main(void) {
  int *ptrs[2] = {g, g}, *outs[2] = {other, other};
  long w[2], v[2];
  for (int i = 1; i < N; i++) x[i] = i - 1;
  copy(w, (const long *)ptrs, 2);
  v[0] = w[0]; v[1] = w[1];
  copy((long *)outs, v, 2);
  int *q = outs[0];
  for (int i = 1; i < N; i++) g[i] = q[x[i]] + 1;  // LOOP
  printf("%d\n", g[N - 1]);
}
