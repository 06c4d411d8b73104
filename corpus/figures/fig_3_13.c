/* Figure 3.13: one loop, two references of step 1. */
#include <stdio.h>

static double A[8];
static double B[8];

static void figure(void)
{
  int i;

  for (i = 2; i < 8; i++) {
    B[i - 2] = A[i];
  }
}

int main(void)
{
  double sum = 0.0;

  for (int i = 0; i < 8; i++) {
    A[i] = 1.5 * i + 0.25;
    B[i] = -i;
  }
  figure();
  for (int i = 0; i < 8; i++)
    sum += B[i] * (i + 1);
  printf("B %.10e\n", sum);
  return 0;
}
