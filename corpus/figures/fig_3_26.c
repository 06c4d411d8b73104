/* Figure 3.26: the symmetric rank-k update, bounds inclusive. */
#include <stdio.h>

#ifndef N
#define N 31
#endif
#ifndef M
#define M 23
#endif

static double A[N + 1][M + 1];
static double B[N + 1][N + 1];

static void figure(double alpha, double beta)
{
  int i, j, k;

  for (i = 0; i <= N; i++) {
    for (j = 0; j <= N; j++) {
      B[i][j] *= beta;
      for (k = 0; k <= M; k++) {
        B[i][j] += alpha * A[i][k] * A[j][k];
      }
    }
  }
}

int main(void)
{
  double sum = 0.0;

  for (int i = 0; i <= N; i++) {
    for (int k = 0; k <= M; k++)
      A[i][k] = (double)(i * (M + 1) + k) / (N * M);
    for (int j = 0; j <= N; j++)
      B[i][j] = (double)(j * (N + 1) - i) / (N * N);
  }
  figure(1.5, 0.5);
  for (int i = 0; i <= N; i++)
    for (int j = 0; j <= N; j++)
      sum += B[i][j] * (i * (N + 1) + j + 1);
  printf("B %.10e\n", sum);
  return 0;
}
