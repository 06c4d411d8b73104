/* Arrays of main itself, and an array that is local to one iteration. */
#include <stdio.h>

#define N 24

int main(void)
{
  double a[N][N], r[N];
  double sum = 0.0;

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = 0.3 * i * j + i - j;
  for (int i = 0; i < N; i++) {
    /* a new one in every iteration */
    double t[N];
    for (int j = 0; j < N; j++)
      t[j] = a[i][j] * a[i][j];
    r[i] = 0.0;
    for (int j = 0; j < N; j++)
      r[i] += t[N - 1 - j] * (j + 1);
  }
  for (int i = 0; i < N; i++)
    sum += r[i] * (i + 1);
  printf("r %.10e\n", sum);
  return 0;
}
