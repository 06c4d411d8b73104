#include <stdio.h>
/* an array of structures in a union with another */
struct A { double *p; long n; }; struct B { double *q; long m; };
union T { struct A a[4]; struct B b[4]; };
static double x[64], y[64];
int main(void) {
  union T t;
  for (int k = 0; k < 4; k++) { t.b[k].q = y; }
  for (int k = 0; k < 4; k++) { t.a[k].p = x; }
  double *q = t.b[2].q;
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = x[i - 1] * 0.5 + 1;
  printf("%g %g\n", x[63], y[63]);
}
