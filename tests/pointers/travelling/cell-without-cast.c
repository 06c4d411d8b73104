#include <stdio.h>
static double a[64], b[64];
struct S { double *p; int n; };
int main(void) {
  struct S s = { b, 64 };
  void *v = &s;
  double **pp = v;
  *pp = a;
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    s.p[i] = a[i-1] + 1;
  printf("%g %g\n", a[63], b[63]);
}
