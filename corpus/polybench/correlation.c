/* correlation: the correlation matrix of M variables from N observations. */
#include <math.h>
#include <stdio.h>

#ifndef N
#define N 80
#endif
#ifndef M
#define M 64
#endif

double data[N][M];
double mean[M];
double stddev[M];
double symmat[M][M];

static void init_arrays(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      data[i][j] = (double)(i * j) / M + (double)((3 * i + 5 * j) % 31) / 31.0 + 0.01 * i;
}

static void kernel_correlation(void)
{
  /* the mean of every column */
  for (int j = 0; j < M; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < N; i++)
      mean[j] += data[i][j];
    mean[j] /= N;
  }
  /* its standard deviation; a column that hardly varies is left at its size */
  for (int j = 0; j < M; j++) {
    stddev[j] = 0.0;
    for (int i = 0; i < N; i++)
      stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    stddev[j] = sqrt(stddev[j] / N);
    stddev[j] = stddev[j] <= 0.1 ? 1.0 : stddev[j];
  }
  /* columns of mean 0 and length 1 */
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      data[i][j] -= mean[j];
      data[i][j] /= sqrt((double)N) * stddev[j];
    }
  /* half of the symmetric matrix is computed, and mirrored */
  for (int j1 = 0; j1 < M; j1++) {
    symmat[j1][j1] = 1.0;
    for (int j2 = j1 + 1; j2 < M; j2++) {
      symmat[j1][j2] = 0.0;
      for (int i = 0; i < N; i++)
        symmat[j1][j2] += data[i][j1] * data[i][j2];
      symmat[j2][j1] = symmat[j1][j2];
    }
  }
}

int main(void)
{
  init_arrays();
  kernel_correlation();

  double sum = 0.0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      sum += symmat[i][j] * (double)((i * M + j) % 17 + 1);
  printf("symmat %.10e\n", sum);
  return 0;
}
