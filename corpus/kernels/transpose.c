/* transpose: B := A^T of a matrix that need not be square. */
#include <stdio.h>

#ifndef N
#define N 90
#endif
#ifndef M
#define M 70
#endif

static double A[N][M];
static double B[M][N];

static void init_arrays(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      A[i][j] = (double)(i * M + j) / (N * M) + (double)((i * 3 + j * 11) % 29);
}

static void kernel_transpose(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      B[j][i] = A[i][j];
}

int main(void)
{
  init_arrays();
  kernel_transpose();

  double sum = 0.0;
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++)
      sum += B[j][i] * (double)((j * 5 + i) % 17 + 1);
  printf("B %.10e\n", sum);
  return 0;
}
