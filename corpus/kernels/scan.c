/* scan: the prefix sums of an array, each element included in its own sum. */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 5000
#endif

static void kernel_scan(const double *restrict in, double *restrict out)
{
  double sum = 0.0;

  for (int i = 0; i < N; i++) {
    sum += in[i];
    out[i] = sum;
  }
}

int main(void)
{
  double *in = malloc(sizeof(double) * N);
  double *out = malloc(sizeof(double) * N);
  if (in == NULL || out == NULL)
    return 1;

  for (int i = 0; i < N; i++) {
    in[i] = 0.5 + (double)(i % 997 * 41 % 997) / 997.0;
    out[i] = 0.0;
  }
  kernel_scan(in, out);

  double total = 0.0;
  for (int i = 0; i < N; i++)
    total += out[i] * (double)(i % 17 + 1);
  printf("last %.10e\n", out[N - 1]);
  printf("out %.10e\n", total);
  free(in);
  free(out);
  return 0;
}
