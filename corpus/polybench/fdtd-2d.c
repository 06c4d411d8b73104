/* fdtd-2d: Maxwell's equations in the plane by finite differences in time, on a staggered grid. */
#include <stdio.h>

#ifndef TSTEPS
#define TSTEPS 15
#endif
#ifndef NX
#define NX 64
#endif
#ifndef NY
#define NY 72
#endif

static double ex[NX][NY];
static double ey[NX][NY];
static double hz[NX][NY];
static double source[TSTEPS];

static void init_arrays(void)
{
  for (int t = 0; t < TSTEPS; t++)
    source[t] = 0.1 * (t + 1);
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++) {
      ex[i][j] = (double)(i * (j + 1)) / (NX * NY);
      ey[i][j] = (double)((i - 1) * (j + 2)) / (NX * NY);
      hz[i][j] = (double)(i * NY + j) / (NX * NY);
    }
}

static void kernel_fdtd_2d(void)
{
  for (int t = 0; t < TSTEPS; t++) {
    /* the source feeds one edge */
    for (int j = 0; j < NY; j++)
      ey[0][j] = source[t];
    /* the electric field from the differences of the magnetic one ... */
    for (int i = 1; i < NX; i++)
      for (int j = 0; j < NY; j++)
        ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (int i = 0; i < NX; i++)
      for (int j = 1; j < NY; j++)
        ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
    /* ... and the magnetic one from the curl of the electric */
    for (int i = 0; i < NX - 1; i++)
      for (int j = 0; j < NY - 1; j++)
        hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}

int main(void)
{
  init_arrays();
  kernel_fdtd_2d();

  double sum_ex = 0.0, sum_ey = 0.0, sum_hz = 0.0;
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++) {
      double weight = (double)((i * NY + j) % 17 + 1);
      sum_ex += ex[i][j] * weight;
      sum_ey += ey[i][j] * weight;
      sum_hz += hz[i][j] * weight;
    }
  printf("ex %.10e\n", sum_ex);
  printf("ey %.10e\n", sum_ey);
  printf("hz %.10e\n", sum_hz);
  return 0;
}
