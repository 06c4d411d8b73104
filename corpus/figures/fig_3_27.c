/* Figure 3.27: a loop that counts backwards and reads C in both directions. */
#include <stdio.h>

static double C[8];
static double D[8];

static void figure(void)
{
  int i;

  for (i = 7; i >= 0; i--) {
    D[i] = C[i] + 2 * C[7 - i];
  }
}

int main(void)
{
  double sum = 0.0;

  for (int i = 0; i < 8; i++)
    C[i] = 1.5 * i + 0.25 * i * i;
  figure();
  for (int i = 0; i < 8; i++)
    sum += D[i] * (i + 1);
  printf("D %.10e\n", sum);
  return 0;
}
