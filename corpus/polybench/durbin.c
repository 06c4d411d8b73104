/* durbin: the Yule-Walker equations T * y = -r of a symmetric Toeplitz matrix, by Levinson-Durbin recursion.
   Row k of y is the solution of the system of order k + 1. */
#include <stdio.h>

#ifndef N
#define N 96
#endif

double r[N];
double y[N][N];
double out[N];

static void init_arrays(void)
{
  /* a decaying autocorrelation, so the matrix is positive definite */
  for (int i = 0; i < N; i++)
    r[i] = 0.5 / (i + 1) + 0.01 / (1.0 + i * i);
}

static void kernel_durbin(void)
{
  double alpha = -r[0];
  double beta = 1.0;

  y[0][0] = -r[0];
  for (int k = 1; k < N; k++) {
    beta = (1.0 - alpha * alpha) * beta;
    /* the new reflection coefficient */
    double sum = r[k];
    for (int i = 0; i < k; i++)
      sum += r[k - i - 1] * y[k - 1][i];
    alpha = -sum / beta;
    /* the solution of the next order: the old one and alpha times its mirror image */
    for (int i = 0; i < k; i++)
      y[k][i] = y[k - 1][i] + alpha * y[k - 1][k - i - 1];
    y[k][k] = alpha;
  }
  for (int i = 0; i < N; i++)
    out[i] = y[N - 1][i];
}

int main(void)
{
  init_arrays();
  kernel_durbin();

  double sum = 0.0;
  for (int i = 0; i < N; i++)
    sum += out[i] * (double)(i % 17 + 1);
  printf("out %.10e\n", sum);
  return 0;
}
