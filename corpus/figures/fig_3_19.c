/* Figure 3.19: interpolation in place. The odd elements are written and the even ones read. */
#include <stdio.h>

static double K[8];

static void figure(void)
{
  int i;

  for (i = 1; i < 6; i += 2) {
    K[i] = (K[i - 1] + K[i + 1]) / 2;
  }
}

int main(void)
{
  double sum = 0.0;

  for (int i = 0; i < 8; i++)
    K[i] = 1.5 * i + 0.25 * i * i;
  figure();
  for (int i = 0; i < 8; i++)
    sum += K[i] * (i + 1);
  printf("K %.10e\n", sum);
  return 0;
}
