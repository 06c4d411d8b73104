/* covariance: the covariance matrix of M variables from N observations. */
#include <stdio.h>

#ifndef N
#define N 72
#endif
#ifndef M
#define M 56
#endif

static void kernel_covariance(double data[const restrict static N][M], double symmat[const restrict static M][M],
                              double mean[const restrict static M])
{
  /* the mean of every column ... */
  for (int j = 0; j < M; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < N; i++)
      mean[j] += data[i][j];
    mean[j] /= N;
  }
  /* ... is taken from it */
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      data[i][j] -= mean[j];
  /* the triangle above the diagonal, mirrored: no cell is written for two different (j1, j2) */
  for (int j1 = 0; j1 < M; j1++)
    for (int j2 = j1; j2 < M; j2++) {
      symmat[j1][j2] = 0.0;
      for (int i = 0; i < N; i++)
        symmat[j1][j2] += data[i][j1] * data[i][j2];
      symmat[j2][j1] = symmat[j1][j2];
    }
}

int main(void)
{
  static double data[N][M], symmat[M][M], mean[M];

  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      data[i][j] = (double)(i * j) / M + (double)((5 * i + 3 * j) % 29) / 29.0;
  kernel_covariance(data, symmat, mean);

  double sum = 0.0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      sum += symmat[i][j] * (double)((i * M + j) % 17 + 1);
  printf("symmat %.10e\n", sum);
  return 0;
}
