/* Restrict parameters: the caller promises that they do not overlap. */
#include <stdio.h>

#define N 70

static void triad(int n, double *restrict out, const double *restrict x, const double *restrict y)
{
  for (int i = 0; i < n; i++)
    out[i] = x[i] + 3.0 * y[i];
}

static void rows(int n, int m, double A[restrict n][m], const double *restrict v, double *restrict r)
{
  for (int i = 0; i < n; i++) {
    double s = 0.0;
    for (int j = 0; j < m; j++)
      s += A[i][j] * v[j];
    r[i] = s;
  }
}

/* restrict does not help against a dependence on itself */
static void prefix(int n, double *restrict x)
{
  for (int i = 1; i < n; i++)
    x[i] += x[i - 1];
}

int main(void)
{
  static double a[N], b[N], c[N], d[N], m[N][N];
  double sum_c = 0.0, sum_d = 0.0;

  for (int i = 0; i < N; i++) {
    a[i] = 0.1 * i * i;
    b[i] = 5.0 - i;
    for (int j = 0; j < N; j++)
      m[i][j] = (double)(i * N + j) / (N * N);
  }
  triad(N, c, a, b);
  rows(N, N, m, c, d);
  prefix(N, d);
  for (int i = 0; i < N; i++) {
    sum_c += c[i] * (i + 1);
    sum_d += d[i] * (i + 1);
  }
  printf("c %.10e\nd %.10e\n", sum_c, sum_d);
  return 0;
}
