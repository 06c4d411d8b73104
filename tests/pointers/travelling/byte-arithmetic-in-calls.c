#include <stdio.h>
static double a[128];
static void go(double *p, double *q) {
  for (int i = 0; i < 32; i++) // LOOP for (int i = 31; i >= 0; i--)
    p[i] = q[i] + 1;
}
int main(int argc, char **argv) {
  double *t[2] = { a, a };
  unsigned char *c = (unsigned char *)&t[0];
  unsigned long u = 0;
  for (unsigned k = 0; k < sizeof u; k++) ((unsigned char *)&u)[k] = c[k];
  u += 8;
  for (unsigned k = 0; k < sizeof u; k++) c[k] = ((unsigned char *)&u)[k];
  go(t[0], t[1]);
  printf("%g %g\n", a[1], a[32]);
}
