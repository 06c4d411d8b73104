/* syr2k: C := alpha * A * B^T + alpha * B * A^T + beta * C, with arrays of variable length. */
#include <stdio.h>

#ifndef N
#define N 64
#endif
#ifndef M
#define M 56
#endif

static void init_arrays(int n, int m, double A[restrict n][m], double B[restrict n][m], double C[restrict n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      C[i][j] = (double)(i * n + j + 3) / (n * n);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) {
      A[i][k] = (double)(i * m + k + 1) / (n * m);
      B[i][k] = 0.6 - (double)(i + k * n) / (n * m);
    }
}

static void kernel_syr2k(int n, int m, double alpha, double beta, double A[restrict n][m],
                         double B[restrict n][m], double C[restrict n][n])
{
  /* c_ij gets alpha * (a_i . b_j + b_i . a_j): inner products of rows */
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] *= beta;
      for (int k = 0; k < m; k++)
        C[i][j] += alpha * A[i][k] * B[j][k] + alpha * B[i][k] * A[j][k];
    }
}

int main(void)
{
  static double A[N][M], B[N][M], C[N][N];

  init_arrays(N, M, A, B, C);
  kernel_syr2k(N, M, 1.5, 1.2, A, B, C);

  double sum = 0.0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += C[i][j] * (double)((i * N + j) % 17 + 1);
  printf("C %.10e\n", sum);
  return 0;
}
