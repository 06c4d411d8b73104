/* lu: A = L * U in place, without pivoting, U with a unit diagonal. */
#include <stdio.h>

#ifndef N
#define N 72
#endif

double A[N][N];

static void init_arrays(void)
{
  /* the diagonal outweighs its row, so no pivoting is needed */
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      A[i][j] = (double)(i * N + j + 1) / (N * N);
    A[i][i] += N;
  }
}

static void kernel_lu(void)
{
  for (int k = 0; k < N; k++) {
    /* row k of U */
    for (int j = k + 1; j < N; j++)
      A[k][j] = A[k][j] / A[k][k];
    /* what is left of the matrix below and to the right of the pivot */
    for (int i = k + 1; i < N; i++)
      for (int j = k + 1; j < N; j++)
        A[i][j] = A[i][j] - A[i][k] * A[k][j];
  }
}

int main(void)
{
  init_arrays();
  kernel_lu();

  double sum = 0.0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += A[i][j] * (double)((i * N + j) % 17 + 1);
  printf("A %.10e\n", sum);
  return 0;
}
