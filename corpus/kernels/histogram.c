/* histogram: how often each of 256 grey values occurs in an image. */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 20000
#endif
#define BINS 256

static int count[BINS];

static void kernel_histogram(const unsigned char *restrict pixel)
{
  for (int b = 0; b < BINS; b++)
    count[b] = 0;
  for (int i = 0; i < N; i++)
    count[pixel[i]]++;
}

int main(void)
{
  unsigned char *pixel = malloc(N);
  unsigned seed = 12345u;
  if (pixel == NULL)
    return 1;

  /* the sum of two random numbers: values in the middle are more frequent */
  for (int i = 0; i < N; i++) {
    seed = seed * 1664525u + 1013904223u;
    pixel[i] = (unsigned char)((seed >> 25) + (seed >> 9 & 127u));
  }
  kernel_histogram(pixel);

  double sum = 0.0;
  for (int b = 0; b < BINS; b++)
    sum += (double)count[b] * (double)(b % 19 + 1);
  printf("count %.10e\n", sum);
  free(pixel);
  return 0;
}
