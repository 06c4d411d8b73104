#include <stdio.h>
static double a[64], b[64];
int main(void) {
  double *q = b;
  union { double *p; unsigned long u; } x, y;
  x.p = a;
  y.u = x.u;
  q = y.p;
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = a[i-1] + 1;
  printf("%g %g\n", a[63], b[63]);
}
