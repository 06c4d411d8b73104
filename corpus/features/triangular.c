/* Triangular nests, below and above the diagonal, and one whose bound depends on two loops. */
#include <stdio.h>

#define N 40

static double lower[N][N], upper[N][N], cube[N][N][N];

static void below(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++)
      lower[i][j] = i + 0.5 * j;
}

static void above(void)
{
  for (int i = 0; i < N; i++)
    for (int j = i + 1; j < N; j++)
      upper[i][j] = lower[j][i] * 2.0;
}

static void tetrahedron(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N - i; j++)
      for (int k = 0; k < N - i - j; k++)
        cube[i][j][k] = i + 2.0 * j + 3.0 * k;
}

int main(void)
{
  double sum_u = 0.0, sum_c = 0.0;

  below();
  above();
  tetrahedron();
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      sum_u += upper[i][j] * (i * N + j + 1);
      for (int k = 0; k < N; k++)
        sum_c += cube[i][j][k] * ((i + j * 3 + k * 7) % 17 + 1);
    }
  printf("upper %.10e\n", sum_u);
  printf("cube %.10e\n", sum_c);
  return 0;
}
