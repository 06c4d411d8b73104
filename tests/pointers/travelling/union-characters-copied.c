#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 64
static int x[N];

/* text functions between arrays: strncpy with bytes of a pointer inside unions */
static int g[N], other[N];
union u { int *p; char raw[8]; };
static void set(int **at, int *to) { *at = to; }
int main(void) {
  union u a, b;
  for (int i = 1; i < N; i++) x[i] = i - 1;
  set(&b.p, other);
  set(&a.p, g);
  strncpy(b.raw, a.raw, 8);
  int *q = b.p;
  if (q != a.p) return 0;
  for (int i = 1; i < N; i++) g[i] = q[x[i]] + 1;  // LOOP
  printf("%d\n", g[N - 1]);
}
