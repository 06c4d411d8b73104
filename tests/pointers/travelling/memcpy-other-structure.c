#include <stdio.h>
#include <string.h>
static double a[64], b[64];
struct A { double *x; }; struct B { double *y; };
int main(void) {
  struct A u = { a };
  struct B v = { b };
  memcpy(&v, &u, sizeof v);
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    v.y[i] = a[i-1] + 1;
  printf("%g %g\n", a[63], b[63]);
}
