/* A loop that prints, and one that writes to a stream: the order is the output, so they are serial. */
#include <stdio.h>

#define N 8

static double a[N];

int main(void)
{
  for (int i = 0; i < N; i++)
    a[i] = 1.5 * i - 0.1 * i * i;
  for (int i = 0; i < N; i++)
    printf("%d %.10e\n", i, a[i]);
  for (int i = 0; i < N; i++) {
    a[i] += 1.0;
    fprintf(stdout, "%.3f%c", a[i], i == N - 1 ? '\n' : ' ');
  }
  return 0;
}
