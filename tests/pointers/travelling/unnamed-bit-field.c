#include <stdio.h>
static double a[64], b[64];
struct S { int : 32; double *p; double *q; };
int main(void) {
  struct S s = { a, b };
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    s.p[i] = a[i-1] + 1;
  printf("%g %g %d\n", a[63], b[63], s.q == b);
}
