#include <stdio.h>
#include <string.h>
static double a[64], b[64];
int main(void) {
  double *p = a, *q = b;
  unsigned int u[2], v[2];
  memcpy(u, &p, sizeof u);
  v[0] = u[0]; v[1] = u[1];
  memcpy(&q, v, sizeof q);
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = a[i-1] + 1;
  printf("%g %g\n", a[63], b[63]);
}
