#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 64
static int x[N];

static int g[N], other[N];
struct blob { size_t n; char data[32]; };
static void put(struct blob *b, const char *from, size_t n) { memcpy(b->data, from, n); b->n = n; }
int main(void) {
  struct blob b;
  int *p = g, *q = other;
  for (int i = 1; i < N; i++) x[i] = i - 1;
  put(&b, (const char *)&p, sizeof p);
  FILE *f = tmpfile();
  fwrite(b.data, 1, b.n, f);
  rewind(f);
  if (fread(&q, sizeof q, 1, f) != 1) return 1;
  for (int i = 1; i < N; i++) g[i] = q[x[i]] + 1;  // LOOP
  printf("%d\n", g[N - 1]);
}
