/* Float and double in one expression: the narrowing must happen where the source has it. */
#include <stdio.h>

#define N 100

static float f[N], g[N];
static double d[N];

static void mix(void)
{
  for (int i = 0; i < N; i++) {
    d[i] = f[i] * 0.1 + d[i];
    g[i] = (float)(d[i] * f[i]);
  }
}

static double sum_wide(void)
{
  double s = 0.0;

  for (int i = 0; i < N; i++)
    s += (double)f[i] * g[i];
  return s;
}

int main(void)
{
  double sum_d = 0.0, sum_g = 0.0;

  for (int i = 0; i < N; i++) {
    f[i] = 0.1f * (float)i;
    d[i] = 1.0 / (i + 1);
  }
  mix();
  for (int i = 0; i < N; i++) {
    sum_d += d[i] * (i + 1);
    sum_g += g[i] * (i + 1);
  }
  printf("d %.10e\ng %.10e\nwide %.10e\n", sum_d, sum_g, sum_wide());
  return 0;
}
