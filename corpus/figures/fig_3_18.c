/* Figure 3.18: an unrolled neighbourhood. */
#include <stdio.h>

static double V[8];
static double W[8];

static void figure(void)
{
  int i;

  for (i = 1; i < 7; i++) {
    W[i] = V[i - 1] + V[i] + V[i + 1];
  }
}

int main(void)
{
  double sum = 0.0;

  for (int i = 0; i < 8; i++) {
    V[i] = 1.5 * i + 0.25 * i * i;
    W[i] = -i;
  }
  figure();
  for (int i = 0; i < 8; i++)
    sum += W[i] * (i + 1);
  printf("W %.10e\n", sum);
  return 0;
}
