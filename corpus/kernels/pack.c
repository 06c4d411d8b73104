/* pack: the elements of an array that are above a threshold, moved together in their order. */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 6000
#endif

static int kept;

static void kernel_pack(double threshold, const double *restrict in, double *restrict out)
{
  int n = 0;

  for (int i = 0; i < N; i++)
    if (in[i] > threshold)
      out[n++] = in[i];
  kept = n;
}

int main(void)
{
  double *in = malloc(sizeof(double) * N);
  double *out = malloc(sizeof(double) * N);
  unsigned seed = 31u;
  if (in == NULL || out == NULL)
    return 1;

  for (int i = 0; i < N; i++) {
    seed = seed * 1664525u + 1013904223u;
    in[i] = (double)(seed >> 8) / 16777216.0;
    out[i] = 0.0;
  }
  kernel_pack(0.4, in, out);

  double sum = 0.0;
  for (int i = 0; i < kept; i++)
    sum += out[i] * (double)(i % 17 + 1);
  printf("kept %d\n", kept);
  printf("out %.10e\n", sum);
  free(in);
  free(out);
  return 0;
}
