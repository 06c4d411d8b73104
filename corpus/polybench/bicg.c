/* bicg: the two products of a step of the biconjugate gradient method, s := A^T * r and q := A * p. */
#include <stdio.h>

#ifndef N
#define N 100
#endif
#ifndef M
#define M 84
#endif

static void init_arrays(double A[const restrict static N][M], double r[const restrict static N],
                        double p[const restrict static M])
{
  for (int i = 0; i < N; i++) {
    r[i] = (double)(i + 1) / N;
    for (int j = 0; j < M; j++)
      A[i][j] = (double)(i * M + j + 2) / (N * M);
  }
  for (int j = 0; j < M; j++)
    p[j] = 0.75 - (double)j / M;
}

static void kernel_bicg(double A[const restrict static N][M], double r[const restrict static N],
                        double p[const restrict static M], double s[const restrict static M],
                        double q[const restrict static N])
{
  /* s[j] is the product of column j with r */
  for (int j = 0; j < M; j++) {
    s[j] = 0.0;
    for (int i = 0; i < N; i++)
      s[j] += A[i][j] * r[i];
  }
  /* q[i] is the product of row i with p */
  for (int i = 0; i < N; i++) {
    q[i] = 0.0;
    for (int j = 0; j < M; j++)
      q[i] += A[i][j] * p[j];
  }
}

int main(void)
{
  static double A[N][M], r[N], p[M], s[M], q[N];

  init_arrays(A, r, p);
  kernel_bicg(A, r, p, s, q);

  double sum_s = 0.0, sum_q = 0.0;
  for (int j = 0; j < M; j++)
    sum_s += s[j] * (double)(j % 7 + 1);
  for (int i = 0; i < N; i++)
    sum_q += q[i] * (double)(i % 7 + 1);
  printf("s %.10e\n", sum_s);
  printf("q %.10e\n", sum_q);
  return 0;
}
