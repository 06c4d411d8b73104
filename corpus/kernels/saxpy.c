/* saxpy: y := a * x + y in single precision; no restrict, but the only call passes different arrays. */
#include <stdio.h>

#ifndef N
#define N 8000
#endif

static float X[N], Y[N];

static void kernel_saxpy(int n, float a, const float *x, float *y)
{
  for (int i = 0; i < n; i++)
    y[i] = a * x[i] + y[i];
}

int main(void)
{
  for (int i = 0; i < N; i++) {
    X[i] = (float)(i % 1013) / 1013.0f;
    Y[i] = 1.0f + (float)(i % 509) / 509.0f;
  }
  kernel_saxpy(N, 1.5f, X, Y);

  double sum = 0.0;
  for (int i = 0; i < N; i++)
    sum += (double)Y[i] * (double)(i % 17 + 1);
  printf("y %.6e\n", sum);
  return 0;
}
