#include <stdio.h>
static double a[64], b[64];
static void run(double *q) {
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = a[i-1] + 1;
}
int main(void) {
  double *q = b;
  __auto_type v = (unsigned long)a;
  q = (double *)v;
  run(q);
  printf("%g %g\n", a[63], b[63]);
}
