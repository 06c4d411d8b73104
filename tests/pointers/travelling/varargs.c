#include <stdio.h>
#include <stdarg.h>
static double a[64], b[64];
static double *pick(int n, ...) {
  va_list ap;
  va_start(ap, n);
  double *p = va_arg(ap, double *);
  va_end(ap);
  return p;
}
int main(void) {
  double *q = b;
  q = pick(1, a);
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = a[i-1] + 1;
  printf("%g %g\n", a[63], b[63]);
}
