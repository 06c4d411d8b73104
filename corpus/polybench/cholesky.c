/* cholesky: A = L * L^T of a symmetric positive definite matrix.
   L goes below the diagonal of A, the reciprocals of its diagonal into p; the upper half keeps A. */
#include <math.h>
#include <stdio.h>

#ifndef N
#define N 72
#endif

double A[N][N];
double p[N];

static void init_arrays(void)
{
  /* symmetric, and the diagonal outweighs its row: positive definite */
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      A[i][j] = 1.0 / (1.0 + i + j) + 0.01 * (i * j % 5);
    A[i][i] = N + 0.5 * i;
  }
}

static void kernel_cholesky(void)
{
  for (int i = 0; i < N; i++) {
    /* l_ii^2 = a_ii - sum of l_ij^2 */
    double x = A[i][i];
    for (int j = 0; j < i; j++)
      x -= A[i][j] * A[i][j];
    p[i] = 1.0 / sqrt(x);
    /* column i of L: l_ji = (a_ij - sum of l_jk * l_ik) / l_ii, the rows j are independent */
    for (int j = i + 1; j < N; j++) {
      double y = A[i][j];
      for (int k = 0; k < i; k++)
        y -= A[j][k] * A[i][k];
      A[j][i] = y * p[i];
    }
  }
}

int main(void)
{
  init_arrays();
  kernel_cholesky();

  double sum_a = 0.0, sum_p = 0.0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum_a += A[i][j] * (double)((i * N + j) % 13 + 1);
  for (int i = 0; i < N; i++)
    sum_p += p[i] * (double)(i % 13 + 1);
  printf("A %.10e\n", sum_a);
  printf("p %.10e\n", sum_p);
  return 0;
}
