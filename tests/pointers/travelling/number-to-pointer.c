#include <stdio.h>
#include <string.h>
#include <stdint.h>
static double a[64], b[64];
int main(void) {
  double *q = b;
  uintptr_t u = (uintptr_t)a;
  memcpy(&q, &u, sizeof q);
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = a[i-1] + 1;
  printf("%g %g\n", a[63], b[63]);
}
