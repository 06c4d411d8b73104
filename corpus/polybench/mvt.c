/* mvt: x1 := x1 + A * y1 and x2 := x2 + A^T * y2, with arrays of variable length. */
#include <stdio.h>

#ifndef N
#define N 100
#endif

static void kernel_mvt(int n, double x1[restrict n], double x2[restrict n], double y1[restrict n],
                       double y2[restrict n], double A[restrict n][n])
{
  int i, j;

  /* by rows */
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      x1[i] = x1[i] + A[i][j] * y1[j];
  /* by columns */
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      x2[i] = x2[i] + A[j][i] * y2[j];
}

int main(void)
{
  static double A[N][N], x1[N], x2[N], y1[N], y2[N];

  for (int i = 0; i < N; i++) {
    x1[i] = (double)i / N;
    x2[i] = (double)(i + 1) / (2 * N);
    y1[i] = 1.0 - (double)(i + 3) / N;
    y2[i] = (double)(i + 4) / (3 * N);
    for (int j = 0; j < N; j++)
      A[i][j] = (double)(i * N + j + 1) / (N * N);
  }
  kernel_mvt(N, x1, x2, y1, y2, A);

  double sum1 = 0.0, sum2 = 0.0;
  for (int i = 0; i < N; i++) {
    sum1 += x1[i] * (double)(i % 7 + 1);
    sum2 += x2[i] * (double)(i % 7 + 1);
  }
  printf("x1 %.10e\n", sum1);
  printf("x2 %.10e\n", sum2);
  return 0;
}
