/* Figure 3.12: the triangular nest of a covariance. The cells (j1, j2) and (j2, j1) of different j2, and of different j1,
   never meet: only an exact test finds it. */
#include <stdio.h>

#ifndef N
#define N 12
#endif
#ifndef M
#define M 16
#endif

static double data[N][M];
static double symmat[M][M];

static void figure(void)
{
  int i, j1, j2;

  for (j1 = 0; j1 < M; j1++) {
    for (j2 = j1; j2 < M; j2++) {
      symmat[j1][j2] = 0.0;
      for (i = 0; i < N; i++) {
        symmat[j1][j2] += data[i][j1] * data[i][j2];
      }
      symmat[j2][j1] = symmat[j1][j2];
    }
  }
}

int main(void)
{
  double sum = 0.0;

  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      data[i][j] = (double)((i * 7 + j * 3) % 11) + 0.1 * i - 0.01 * j;
  figure();
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      sum += symmat[i][j] * (i * M + j + 1);
  printf("symmat %.10e\n", sum);
  return 0;
}
