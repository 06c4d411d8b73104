/* heat-3d: heat flow in a cube, explicit in time; every step goes from one array into the other and back. */
#include <stdio.h>

#ifndef TSTEPS
#define TSTEPS 6
#endif
#ifndef N
#define N 22
#endif

static double A[N][N][N];
static double B[N][N][N];

static void init_arrays(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) {
        A[i][j][k] = (double)(i + j + (N - k)) * 10.0 / N + 0.01 * (double)((i * 7 + j * 5 + k * 3) % 23);
        B[i][j][k] = A[i][j][k];
      }
}

static void kernel_heat_3d(void)
{
  /* second differences along the three axes */
  for (int t = 0; t < TSTEPS; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          B[i][j][k] = A[i][j][k] + 0.125 * (A[i + 1][j][k] - 2.0 * A[i][j][k] + A[i - 1][j][k])
                       + 0.125 * (A[i][j + 1][k] - 2.0 * A[i][j][k] + A[i][j - 1][k])
                       + 0.125 * (A[i][j][k + 1] - 2.0 * A[i][j][k] + A[i][j][k - 1]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          A[i][j][k] = B[i][j][k] + 0.125 * (B[i + 1][j][k] - 2.0 * B[i][j][k] + B[i - 1][j][k])
                       + 0.125 * (B[i][j + 1][k] - 2.0 * B[i][j][k] + B[i][j - 1][k])
                       + 0.125 * (B[i][j][k + 1] - 2.0 * B[i][j][k] + B[i][j][k - 1]);
  }
}

int main(void)
{
  init_arrays();
  kernel_heat_3d();

  double sum = 0.0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        sum += A[i][j][k] * (double)((i + 3 * j + 7 * k) % 17 + 1);
  printf("A %.10e\n", sum);
  return 0;
}
