#include <stdio.h>
#include <stdlib.h>
struct A { int t; double *p; };
struct Bb { int t; double *q; };
struct V { int kind; union { struct A a; struct Bb b; } u; };
static double x[64], y[64];
static void init(struct V *v, double *d) { v->kind = 1; v->u.a.t = 1; v->u.a.p = d; }
static void run(struct V *v) {
  double *q = v->u.b.q;
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = x[i-1] + 1;
}
int main(int argc, char **argv) {
  struct V v, w;
  w.u.b.q = y;
  init(&v, x);
  v.u.b.t = 2;
  if (argc > 5) v = w;
  run(&v);
  printf("%g\n", x[63]);
}
