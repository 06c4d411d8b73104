/* gesummv: y := alpha * A * x + beta * B * x, with arrays of variable length whose pointers may overlap. */
#include <stdio.h>

#ifndef N
#define N 90
#endif

static void kernel_gesummv(int n, double alpha, double beta, double A[n][n], double B[n][n], double tmp[n],
                           double x[n], double y[n])
{
  /* tmp holds A * x and y collects B * x, row by row */
  for (int i = 0; i < n; i++) {
    tmp[i] = 0.0;
    y[i] = 0.0;
    for (int j = 0; j < n; j++) {
      tmp[i] = A[i][j] * x[j] + tmp[i];
      y[i] = B[i][j] * x[j] + y[i];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
}

int main(void)
{
  static double A[N][N], B[N][N], tmp[N], x[N], y[N];

  for (int i = 0; i < N; i++) {
    x[i] = (double)(i + 1) / N;
    for (int j = 0; j < N; j++) {
      A[i][j] = (double)(i * N + j + 1) / (N * N);
      B[i][j] = (double)(j * N - i) / (N * N);
    }
  }
  kernel_gesummv(N, 1.5, 1.2, A, B, tmp, x, y);

  double sum_tmp = 0.0, sum_y = 0.0;
  for (int i = 0; i < N; i++) {
    sum_tmp += tmp[i] * (double)(i % 7 + 1);
    sum_y += y[i] * (double)(i % 11 + 1);
  }
  printf("tmp %.10e\n", sum_tmp);
  printf("y %.10e\n", sum_y);
  return 0;
}
