/* Figure 3.15: sums of pairs, with an inner loop and unrolled. */
#include <stdio.h>

static double P[8];
static double Q[4];
static double Q2[4];

static void with_inner_loop(void)
{
  int i, j;
  double s;

  for (i = 0; i < 4; i++) {
    s = 0;
    for (j = 0; j < 2; j++) {
      s += P[2 * i + j];
    }
    Q[i] = s;
  }
}

static void unrolled(void)
{
  int i;

  for (i = 0; i < 4; i++) {
    Q2[i] = P[2 * i] + P[2 * i + 1];
  }
}

int main(void)
{
  double sum = 0.0, sum2 = 0.0;

  for (int i = 0; i < 8; i++)
    P[i] = 1.5 * i + 0.25 * i * i;
  with_inner_loop();
  unrolled();
  for (int i = 0; i < 4; i++) {
    sum += Q[i] * (i + 1);
    sum2 += Q2[i] * (i + 1);
  }
  printf("Q %.10e\n", sum);
  printf("Q2 %.10e\n", sum2);
  return 0;
}
