/* stencil-1d: one sweep of a symmetric filter of nine points over a line, on flat arrays from the heap. */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 4000
#endif
#define RADIUS 4

static const double weight[RADIUS + 1] = {0.34, 0.18, 0.09, 0.04, 0.02};

static void kernel_stencil_1d(const double *restrict in, double *restrict out)
{
  for (int i = RADIUS; i < N - RADIUS; i++)
    out[i] = weight[0] * in[i] + weight[1] * (in[i - 1] + in[i + 1]) + weight[2] * (in[i - 2] + in[i + 2])
             + weight[3] * (in[i - 3] + in[i + 3]) + weight[4] * (in[i - 4] + in[i + 4]);
}

int main(void)
{
  double *in = malloc(sizeof(double) * N);
  double *out = malloc(sizeof(double) * N);
  if (in == NULL || out == NULL)
    return 1;

  for (int i = 0; i < N; i++) {
    in[i] = (double)(i % 101 * 37 % 101) / 101.0 + 1e-6 * i;
    out[i] = 0.0;
  }
  kernel_stencil_1d(in, out);

  double sum = 0.0;
  for (int i = 0; i < N; i++)
    sum += out[i] * (double)(i % 17 + 1);
  printf("out %.10e\n", sum);
  free(in);
  free(out);
  return 0;
}
