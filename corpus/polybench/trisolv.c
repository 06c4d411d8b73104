/* trisolv: L * x = c by forward substitution. */
#include <stdio.h>

#ifndef N
#define N 120
#endif

double L[N][N];
double x[N];
double c[N];

static void init_arrays(void)
{
  for (int i = 0; i < N; i++) {
    c[i] = 1.0 + (double)(i % 9) / 9.0 + 0.01 * i;
    for (int j = 0; j < i; j++)
      L[i][j] = (double)(i + j + 1) / (N * N);
    L[i][i] = 1.0 + 0.5 / (i + 1);
  }
}

static void kernel_trisolv(void)
{
  /* x_i = (c_i - sum over j < i of l_ij * x_j) / l_ii needs all of the x before it */
  for (int i = 0; i < N; i++) {
    x[i] = c[i];
    for (int j = 0; j < i; j++)
      x[i] -= L[i][j] * x[j];
    x[i] /= L[i][i];
  }
}

int main(void)
{
  init_arrays();
  kernel_trisolv();

  double sum = 0.0;
  for (int i = 0; i < N; i++)
    sum += x[i] * (double)(i % 17 + 1);
  printf("x %.10e\n", sum);
  return 0;
}
