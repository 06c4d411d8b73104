#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 64
static int x[N];

/* char arrays in a union / struct; read out of char array */
static int g[N], other[N];
union u { int *p; char raw[8]; };
static void set(int **at, int *to) { *at = to; }
int main(void) {
  union u a;
  int *q = other;
  for (int i = 1; i < N; i++) x[i] = i - 1;
  set(&a.p, g);
  FILE *f = tmpfile();
  fwrite(a.raw, 1, 8, f);
  rewind(f);
  if (fread(&q, 1, 8, f) != 8) return 1;
  for (int i = 1; i < N; i++) g[i] = q[x[i]] + 1;  // LOOP
  printf("%d\n", g[N - 1]);
}
