#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 64
static int x[N], out[N], g[N], other[N];
typedef int (*op)(int *acc, int v);
static int add(int *acc, int v) { *acc += v; return *acc; }
static int sub(int *acc, int v) { *acc -= v; return *acc; }
struct h { op f; int *to; };
static struct h glob = {add, NULL};
static op gop = add;
static op tab[N];
static int via(struct h *s, int v) { return s->f(s->to, v); }
static int addv(int a, int v) { return a + v; }
static int subv(int a, int v) { return a - v; }
static int (*gv)(int, int) = addv;
static int (*tv[N])(int, int);
int main(void) {
  for (int i = 0; i < N; i++) tv[i] = i % 3 ? addv : subv;
  int (**p)(int, int) = tv;
  for (int i = 0; i < N; i++) out[i] = (*p++)(i, 3);  // LOOP
  unsigned h = 0;
  for (int i = 0; i < N; i++) h = h * 31 + out[i];
  printf("%u\n", h);
}
