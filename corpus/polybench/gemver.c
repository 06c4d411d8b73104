/* gemver: A := A + u1 v1^T + u2 v2^T; x := x + beta A^T y + z; w := w + alpha A x. */
#include <stdio.h>

#ifndef N
#define N 96
#endif

static double A[N][N];
static double u1[N], v1[N], u2[N], v2[N];
static double w[N], x[N], y[N], z[N];

static void init_arrays(void)
{
  for (int i = 0; i < N; i++) {
    u1[i] = (double)(i + 1) / N;
    u2[i] = (double)(i + 2) / (2 * N);
    v1[i] = 0.4 - (double)i / (3 * N);
    v2[i] = (double)(i - 5) / (4 * N);
    y[i] = (double)(i + 1) / (5 * N);
    z[i] = (double)(i + 7) / (6 * N);
    x[i] = 0.01 * i;
    w[i] = 1.0 - 0.005 * i;
    for (int j = 0; j < N; j++)
      A[i][j] = (double)(i * N + j) / (N * N);
  }
}

static void kernel_gemver(double alpha, double beta)
{
  /* a change of rank two */
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
  /* x gets beta * A^T * y, read by columns */
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      x[i] = x[i] + beta * A[j][i] * y[j];
  for (int i = 0; i < N; i++)
    x[i] = x[i] + z[i];
  /* w gets alpha * A * x */
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      w[i] = w[i] + alpha * A[i][j] * x[j];
}

int main(void)
{
  init_arrays();
  kernel_gemver(1.5, 1.2);

  double sum_a = 0.0, sum_x = 0.0, sum_w = 0.0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum_a += A[i][j] * (double)((i * N + j) % 17 + 1);
  for (int i = 0; i < N; i++) {
    sum_x += x[i] * (double)(i % 7 + 1);
    sum_w += w[i] * (double)(i % 7 + 1);
  }
  printf("A %.10e\n", sum_a);
  printf("x %.10e\n", sum_x);
  printf("w %.10e\n", sum_w);
  return 0;
}
