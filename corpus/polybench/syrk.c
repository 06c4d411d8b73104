/* syrk: C := alpha * A * A^T + beta * C, all in main and on local arrays. */
#include <stdio.h>

#ifndef N
#define N 72
#endif
#ifndef M
#define M 60
#endif

int main(void)
{
  double A[N][M];
  double C[N][N];
  const double alpha = 1.5, beta = 1.2;

  for (int i = 0; i < N; i++)
    for (int k = 0; k < M; k++)
      A[i][k] = (double)(i * M + k + 1) / (N * M);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      C[i][j] = (double)(j * N - i + 2) / (N * N);

  /* c_ij gets alpha * a_i . a_j */
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      C[i][j] *= beta;
      for (int k = 0; k < M; k++)
        C[i][j] += alpha * A[i][k] * A[j][k];
    }
  }

  double sum = 0.0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += C[i][j] * (double)((i * N + j) % 17 + 1);
  printf("C %.10e\n", sum);
  return 0;
}
