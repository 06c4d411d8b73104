#include <stdio.h>
static double a[64], b[64];
struct S { double *p, *q; };
int main(void) {
  double *pair[2] = { a, b };
  struct S s = { b, b };
  s = *(struct S *)(void *)pair;
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    s.p[i] = a[i-1] + 1;
  printf("%g %g\n", a[63], b[63]);
}
