/* Heat flowing along a rod. */
#include <stdio.h>

#define N 1000

static double rod[N], next[N];

int main(void)
{
  for (int i = 0; i < N; i++)
    rod[i] = i % 17;

  /* every point moves towards the mean of its neighbours */
  for (int i = 1; i < N - 1; i++)
    rod[i] = 0.25 * rod[i - 1] + 0.5 * rod[i] + 0.25 * rod[i + 1];

  double heat = 0;
  for (int i = 1; i < N - 1; i++)
    heat += next[i];

  for (int i = 1; i < N; i++)
    rod[i] = 0.9 * rod[i - 1] + 0.1 * next[i]; /* from left to right: serial */

  printf("heat %.6f, end %.6f\n", heat, rod[N - 1]);
  return 0;
}
