#include <stdio.h>
static double m[16][4][8];
static void work(double (*r)[4][8], double *p) {
  for (int i = 0; i < 16; i++) // LOOP for (int i = 15; i >= 0; i--)
    r[i][0][0] = p[0] + i;
}
int main(int argc, char **argv) {
  double *p = *m[argc];
  work(m, p);
  printf("%g %g\n", m[2][0][0], m[9][0][0]);
}
