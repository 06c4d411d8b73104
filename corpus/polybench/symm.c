/* symm: C := alpha * A * B + beta * C, A symmetric and stored in its lower half only. */
#include <stdio.h>

#ifndef M
#define M 64
#endif
#ifndef N
#define N 72
#endif

double A[M][M];
double B[M][N];
double C[M][N];

static void init_arrays(void)
{
  /* the upper half of A is never looked at: a marker there would spoil the result if it were */
  for (int i = 0; i < M; i++)
    for (int k = 0; k < M; k++)
      A[i][k] = k <= i ? (double)(i * M + k + 1) / (M * M) : -999.0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      B[i][j] = (double)(N + i * N - j) / (M * N);
      C[i][j] = (double)(i - j * M) / (M * N);
    }
}

static void kernel_symm(double alpha, double beta)
{
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      /* row i of the symmetric matrix: along the row up to the diagonal, then down the column */
      double acc = 0.0;
      for (int k = 0; k < M; k++) {
        if (k <= i)
          acc += A[i][k] * B[k][j];
        else
          acc += A[k][i] * B[k][j];
      }
      C[i][j] = beta * C[i][j] + alpha * acc;
    }
}

int main(void)
{
  init_arrays();
  kernel_symm(1.5, 1.2);

  double sum = 0.0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      sum += C[i][j] * (double)((i * N + j) % 17 + 1);
  printf("C %.10e\n", sum);
  return 0;
}
