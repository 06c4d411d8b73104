#include <stdio.h>
#include <string.h>
static double a[64], b[64];
struct S { double *p; int n; };
int main(void) {
  struct S s;
  double *q = b;
  s.n = 64; s.p = a;
  memcpy(&q, &s, sizeof q);
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = a[i-1] + 1;
  printf("%g %g\n", a[63], b[63]);
}
