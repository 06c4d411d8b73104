/* Figure 3.10: the 1-D Jacobi stencil, unrolled and with an inner loop over the neighbours. */
#include <stdio.h>

static double a[128];
static double m[128];
static double n[128];

static void unrolled(void)
{
  int i;

  for (i = 1; i < 128 - 1; i++) {
    m[i] = 0.33 * (a[i - 1] + a[i] + a[i + 1]);
  }
}

static void with_structure_loop(void)
{
  int i, k;
  double temp;

  for (i = 1; i < 128 - 1; i++) {
    temp = 0;
    for (k = -1; k <= 1; k++) {
      temp += a[i + k];
    }
    n[i] = 0.33 * temp;
  }
}

int main(void)
{
  double sum_m = 0.0, sum_n = 0.0;

  for (int i = 0; i < 128; i++)
    a[i] = (double)((i * 37) % 101) + 0.01 * i;
  unrolled();
  with_structure_loop();
  for (int i = 0; i < 128; i++) {
    sum_m += m[i] * (i + 1);
    sum_n += n[i] * (i + 1);
  }
  printf("m %.10e\n", sum_m);
  printf("n %.10e\n", sum_n);
  return 0;
}
