/* Figure 3.14: every second element, by a factor in the subscript and by a step of the loop. */
#include <stdio.h>

static double G[6];
static double H[3];

static void by_factor(void)
{
  int i;

  for (i = 0; i < 3; i++) {
    H[i] = G[2 * i];
  }
}

static void by_step(void)
{
  int i;

  for (i = 0; i < 6; i = i + 2) {
    H[i / 2] = G[i];
  }
}

static double checksum(void)
{
  double sum = 0.0;

  for (int i = 0; i < 3; i++)
    sum += H[i] * (i + 1);
  return sum;
}

int main(void)
{
  for (int i = 0; i < 6; i++)
    G[i] = 1.5 * i + 0.25;
  by_factor();
  printf("H %.10e\n", checksum());
  for (int i = 0; i < 6; i++)
    G[i] = 2.5 * i - 1.0;
  by_step();
  printf("H %.10e\n", checksum());
  return 0;
}
