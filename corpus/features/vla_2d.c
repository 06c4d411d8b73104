/* Arrays of variable length in two dimensions, local and as parameters. */
#include <stdio.h>

static void transpose(int n, int m, double in[restrict n][m], double out[restrict m][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      out[j][i] = in[i][j];
}

static double weighted_sum(int n, int m, double a[n][m])
{
  double sum = 0.0;

  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      sum += a[i][j] * (i * m + j + 1);
  return sum;
}

static double run(int n, int m)
{
  double a[n][m], b[m][n];

  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = 1.0 * i - 0.25 * j * j;
  transpose(n, m, a, b);
  return weighted_sum(m, n, b);
}

int main(void)
{
  printf("b %.10e\n", run(31, 17));
  printf("b %.10e\n", run(5, 64));
  return 0;
}
