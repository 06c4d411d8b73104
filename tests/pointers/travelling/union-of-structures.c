#include <stdio.h>
struct A { int t; double *p; };
struct Bb { int t; double *q; };
union U { struct A a; struct Bb b; };
static double x[64], y[64];
static union U u, w;
int main(int argc, char **argv) {
  w.b.q = y;
  u.a.p = x;
  if (argc > 3) u = w;
  double *q = u.b.q;
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = x[i-1] + 1;
  printf("%g\n", x[63]);
}
