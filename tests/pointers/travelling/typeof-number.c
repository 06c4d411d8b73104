#include <stdio.h>
static double a[64], b[64];
int main(void) {
  double *q = b;
  __typeof__((unsigned long)0) v = (unsigned long)a;
  q = (double *)v;
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = a[i-1] + 1;
  printf("%g %g\n", a[63], b[63]);
}
