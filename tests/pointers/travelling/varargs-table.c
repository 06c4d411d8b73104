#include <stdio.h>
#include <stdarg.h>
static double a[64], b[64];
static double *tab[4] = { b, b, b, b };
static int used;
static void collect(int n, ...) {
  va_list ap;
  va_start(ap, n);
  while (n--) tab[used++] = va_arg(ap, double *);
  va_end(ap);
}
static void run(double *d, const double *s) {
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    d[i] = s[i-1] + 1;
}
int main(void) {
  collect(1, a);
  run(tab[0], a);
  printf("%g %g\n", a[63], b[63]);
}
