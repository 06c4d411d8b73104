/* argmin: the smallest element of an array, and the first place where it is. */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 7000
#endif

static double least;
static int place;

static void kernel_argmin(const double *restrict a)
{
  double best = a[0];
  int where = 0;

  for (int i = 1; i < N; i++)
    if (a[i] < best) {
      best = a[i];
      where = i;
    }
  least = best;
  place = where;
}

int main(void)
{
  double *a = malloc(sizeof(double) * N);
  unsigned seed = 99u;
  if (a == NULL)
    return 1;

  /* so few different values that the smallest comes several times */
  for (int i = 0; i < N; i++) {
    seed = seed * 1664525u + 1013904223u;
    a[i] = 1.0 + (double)((seed >> 12) % (N / 3 + 1));
  }
  kernel_argmin(a);
  printf("least %.10e\n", least);
  printf("place %d\n", place);
  free(a);
  return 0;
}
