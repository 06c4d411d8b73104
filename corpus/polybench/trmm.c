/* trmm: B := alpha * A * B in place, A upper triangular with a unit diagonal; the pointers may overlap. */
#include <stdio.h>

#ifndef M
#define M 64
#endif
#ifndef N
#define N 72
#endif

static double A[M][M];
static double B[M][N];

static void kernel_trmm(double alpha, double a[M][M], double b[M][N])
{
  /* row i needs the old rows below it, so the rows go from the top down; the columns are independent */
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      for (int k = i + 1; k < M; k++)
        b[i][j] += a[i][k] * b[k][j];
      b[i][j] = alpha * b[i][j];
    }
}

int main(void)
{
  for (int i = 0; i < M; i++) {
    for (int k = 0; k < M; k++)
      A[i][k] = k > i ? (double)(i * M + k + 1) / (M * M) : (k == i ? 1.0 : 0.0);
    for (int j = 0; j < N; j++)
      B[i][j] = (double)(N + i - j) / N + 0.001 * i * j;
  }
  kernel_trmm(1.5, A, B);

  double sum = 0.0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      sum += B[i][j] * (double)((i * N + j) % 17 + 1);
  printf("B %.10e\n", sum);
  return 0;
}
