/* adi: heat flow by alternating directions: an implicit step along the rows, then one along the columns.
   Each is a tridiagonal system (a, b, a) per line, solved by elimination and back substitution in X. */
#include <stdio.h>

#ifndef TSTEPS
#define TSTEPS 10
#endif
#ifndef N
#define N 64
#endif

double X[N][N];
double C[N][N];

static void init_arrays(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      X[i][j] = (double)(i * (N - j) + 3 * j + 1) / N + 0.001 * (i * N + j);
      C[i][j] = 0.0;
    }
}

static void kernel_adi(double a, double b)
{
  int t, i, j;

  for (t = 0; t < TSTEPS; t++) {
    /* along the rows: every row is a system of its own */
    for (i = 0; i < N; i++) {
      C[i][0] = a / b;
      X[i][0] = X[i][0] / b;
    }
    for (i = 0; i < N; i++)
      for (j = 1; j < N; j++) {
        C[i][j] = a / (b - a * C[i][j - 1]);
        X[i][j] = (X[i][j] - a * X[i][j - 1]) / (b - a * C[i][j - 1]);
      }
    for (i = 0; i < N; i++)
      for (j = N - 2; j >= 0; j--)
        X[i][j] = X[i][j] - C[i][j] * X[i][j + 1];

    /* along the columns: the recurrence is now in i, and the columns are independent */
    for (j = 0; j < N; j++) {
      C[0][j] = a / b;
      X[0][j] = X[0][j] / b;
    }
    for (i = 1; i < N; i++)
      for (j = 0; j < N; j++) {
        C[i][j] = a / (b - a * C[i - 1][j]);
        X[i][j] = (X[i][j] - a * X[i - 1][j]) / (b - a * C[i - 1][j]);
      }
    for (i = N - 2; i >= 0; i--)
      for (j = 0; j < N; j++)
        X[i][j] = X[i][j] - C[i][j] * X[i + 1][j];
  }
}

int main(void)
{
  init_arrays();
  kernel_adi(-0.4, 1.8);

  double sum = 0.0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += X[i][j] * (double)((i * N + j) % 17 + 1);
  printf("X %.10e\n", sum);
  return 0;
}
