#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 64
static int x[N];

/* memcpy of words: struct of longs */
static int g[N], other[N];
struct two { long a, b; };
static void copy(struct two *d, const struct two *s) { memcpy(d, s, sizeof *d); }
int main(void) {
  int *ptrs[2] = {g, g}, *outs[2] = {other, other};
  struct two w, v;
  for (int i = 1; i < N; i++) x[i] = i - 1;
  copy(&w, (const struct two *)ptrs);
  v.a = w.a; v.b = w.b;
  copy((struct two *)outs, &v);
  int *q = outs[0];
  for (int i = 1; i < N; i++) g[i] = q[x[i]] + 1;  // LOOP
  printf("%d\n", g[N - 1]);
}
