#include <stdio.h>
#include <strings.h>
static double a[64], b[64];
int main(void) {
  double *p = a, *q = b;
  bcopy(&p, &q, sizeof q);
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = a[i-1] + 1;
  printf("%g %g\n", a[63], b[63]);
}
