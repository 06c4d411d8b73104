#include <stdio.h>
#include <string.h>
static double a[128];
static void work(double *p, double *q) {
  for (int i = 0; i < 32; i++) // LOOP for (int i = 31; i >= 0; i--)
    p[i] = q[i] + 1;
}
int main(int argc, char **argv) {
  double *p = a, *q = a;
  unsigned long u;
  memcpy(&u, &p, sizeof u);
  u += sizeof(double);
  memcpy(&p, &u, sizeof u);
  work(p, q);
  printf("%g %g\n", a[1], a[32]);
}
