/* dot: the inner product of two vectors. */
#include <stdio.h>

#ifndef N
#define N 6000
#endif

static double x[N], y[N], product;

static void init_arrays(void)
{
  for (int i = 0; i < N; i++) {
    x[i] = 0.25 + (double)(i % 1013) / 1013.0;
    y[i] = 1.5 - (double)(i % 509) / 509.0;
  }
}

static void kernel_dot(void)
{
  product = 0.0;
  for (int i = 0; i < N; i++)
    product += x[i] * y[i];
}

int main(void)
{
  init_arrays();
  kernel_dot();
  printf("product %.10e\n", product);
  return 0;
}
