#include <stdio.h>
static double a[64], b[64];
static unsigned char get(const void *p, int i) { return ((const unsigned char *)p)[i]; }
static void put(void *p, int i, unsigned char c) { ((unsigned char *)p)[i] = c; }
int main(void) {
  double *p = a, *q = b;
  for (int k = 0; k < (int)sizeof p; k++) put(&q, k, get(&p, k));
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = a[i-1] + 1;
  printf("%g %g\n", a[63], b[63]);
}
