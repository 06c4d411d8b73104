/* Indirect reads are harmless: parallel. */
#include <stdio.h>

#define N 120

static int idx[N];
static double table[N], out[N];

static void gather(void)
{
  for (int i = 0; i < N; i++)
    out[i] = table[idx[i]] + 1.0;
}

int main(void)
{
  double sum = 0.0;

  for (int i = 0; i < N; i++) {
    idx[i] = (i * 49 + 7) % N;
    table[i] = 0.5 * i * i;
  }
  gather();
  for (int i = 0; i < N; i++)
    sum += out[i] * (i + 1);
  printf("out %.10e\n", sum);
  return 0;
}
