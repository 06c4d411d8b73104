/* atax: y := A^T * (A * x). */
#include <stdio.h>

#ifndef M
#define M 96
#endif
#ifndef N
#define N 80
#endif

double A[M][N];
double x[N];
double y[N];
double tmp[M];

static void init_arrays(void)
{
  for (int j = 0; j < N; j++)
    x[j] = 1.0 + (double)j / N;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = (double)(i * N + j) / (M * N) - 0.3;
}

static void kernel_atax(void)
{
  for (int j = 0; j < N; j++)
    y[j] = 0.0;
  /* row i gives tmp[i] = A[i] . x, and adds tmp[i] * A[i] to all of y */
  for (int i = 0; i < M; i++) {
    tmp[i] = 0.0;
    for (int j = 0; j < N; j++)
      tmp[i] += A[i][j] * x[j];
    for (int j = 0; j < N; j++)
      y[j] += A[i][j] * tmp[i];
  }
}

int main(void)
{
  init_arrays();
  kernel_atax();

  double sum = 0.0;
  for (int j = 0; j < N; j++)
    sum += y[j] * (double)(j % 11 + 1);
  printf("y %.10e\n", sum);
  return 0;
}
