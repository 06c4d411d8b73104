#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 64
static int x[N];

#include <inttypes.h>
static int g[N], other[N];
static void put(long *w, FILE *f) { fwrite(w, 1, 16, f); }
static void copy(long *d, const long *s, size_t n) { memcpy(d, s, n * sizeof *d); }
int main(void) {
  int *ptrs[2] = {g, g}, *outs[2] = {other, other};
  long w[2];
  for (int i = 1; i < N; i++) x[i] = i - 1;
  copy(w, (const long *)ptrs, 2);
  FILE *f = tmpfile();
  put(w, f);
  rewind(f);
  if (fread(outs, 1, 16, f) != 16) return 1;
  int *q = outs[0];
  for (int i = 1; i < N; i++) g[i] = q[x[i]] + 1;  // LOOP
  printf("%d\n", g[N - 1]);
}
