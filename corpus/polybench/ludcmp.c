/* ludcmp: A * x = b by Doolittle's decomposition A = L * U and two substitutions, on flat arrays from the heap. */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 64
#endif

static void kernel_ludcmp(double *restrict A, double *restrict b, double *restrict y, double *restrict x)
{
  int i, j, k;
  double w;

  for (i = 0; i < N; i++) {
    /* row i of U: u_ij = a_ij - sum over k < i of l_ik * u_kj */
    for (j = i; j < N; j++) {
      w = A[i * N + j];
      for (k = 0; k < i; k++)
        w -= A[i * N + k] * A[k * N + j];
      A[i * N + j] = w;
    }
    /* column i of L: l_ji = (a_ji - sum over k < i of l_jk * u_ki) / u_ii */
    for (j = i + 1; j < N; j++) {
      w = A[j * N + i];
      for (k = 0; k < i; k++)
        w -= A[j * N + k] * A[k * N + i];
      A[j * N + i] = w / A[i * N + i];
    }
  }
  /* L * y = b, downwards */
  for (i = 0; i < N; i++) {
    w = b[i];
    for (j = 0; j < i; j++)
      w -= A[i * N + j] * y[j];
    y[i] = w;
  }
  /* U * x = y, upwards */
  for (i = N - 1; i >= 0; i--) {
    w = y[i];
    for (j = i + 1; j < N; j++)
      w -= A[i * N + j] * x[j];
    x[i] = w / A[i * N + i];
  }
}

int main(void)
{
  double *A = malloc(sizeof(double) * N * N);
  double *b = malloc(sizeof(double) * N);
  double *y = malloc(sizeof(double) * N);
  double *x = malloc(sizeof(double) * N);
  if (A == NULL || b == NULL || y == NULL || x == NULL)
    return 1;

  for (int i = 0; i < N; i++) {
    b[i] = 1.0 + (double)(i + 1) / N;
    for (int j = 0; j < N; j++)
      A[i * N + j] = (double)(i * N + j + 1) / (N * N) + (i == j ? N : 0.0);
  }
  kernel_ludcmp(A, b, y, x);

  double sum_a = 0.0, sum_x = 0.0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum_a += A[i * N + j] * (double)((i * N + j) % 17 + 1);
  for (int i = 0; i < N; i++)
    sum_x += x[i] * (double)(i % 17 + 1);
  printf("A %.10e\n", sum_a);
  printf("x %.10e\n", sum_x);
  free(A);
  free(b);
  free(y);
  free(x);
  return 0;
}
