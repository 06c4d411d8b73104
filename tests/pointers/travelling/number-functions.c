#include <stdio.h>
#include <string.h>
static double a[64], b[64];
static unsigned long bits(double *p) { unsigned long u; memcpy(&u, &p, sizeof u); return u; }
static double *back(unsigned long u) { double *p = b; memcpy(&p, &u, sizeof p); return p; }
int main(void) {
  double *q = back(bits(a));
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = a[i-1] + 1;
  printf("%g %g\n", a[63], b[63]);
}
