/* Figure 3.11: the paths of a regularity detection. Row j reads row j - 1 only, so the i loop is parallel,
   though both references are to one array. */
#include <stdio.h>

#ifndef M
#define M 16
#endif

static double path[M][M];
static double mean[M][M];

static void figure(void)
{
  int i, j;

  for (j = 1; j <= M - 1; j++) {
    for (i = j; i <= M - 1; i++) {
      path[j][i] = path[j - 1][i - 1] + mean[j][i];
    }
  }
}

int main(void)
{
  double sum = 0.0;

  for (int j = 0; j < M; j++)
    for (int i = 0; i < M; i++) {
      path[j][i] = (double)(j * M + i);
      mean[j][i] = 1.0 / (1.0 + j + 3.0 * i);
    }
  figure();
  for (int j = 0; j < M; j++)
    for (int i = 0; i < M; i++)
      sum += path[j][i] * (j * M + i + 1);
  printf("path %.10e\n", sum);
  return 0;
}
