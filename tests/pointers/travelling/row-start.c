#include <stdio.h>
static double m[16][8];
static void work(double (*r)[8], double *p, double *q) {
  for (int i = 0; i < 16; i++) // LOOP for (int i = 15; i >= 0; i--)
    r[i][0] = p[0] + i;
  q[0] = 1;
}
int main(void) {
  double *p = &m[4][0];
  work(m, p, p);
  printf("%g %g\n", m[2][0], m[9][0]);
}
