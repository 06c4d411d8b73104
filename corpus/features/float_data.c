/* Single precision all along: constants, scalars and arrays. */
#include <stdio.h>

#define N 128

static float x[N], y[N];

static void saxpy(float a)
{
  for (int i = 0; i < N; i++)
    y[i] = a * x[i] + y[i];
}

static void smooth(void)
{
  for (int i = 1; i < N - 1; i++)
    x[i] = 0.25f * y[i - 1] + 0.5f * y[i] + 0.25f * y[i + 1];
}

int main(void)
{
  double sum = 0.0;

  for (int i = 0; i < N; i++) {
    x[i] = 0.5f * (float)i;
    y[i] = 3.0f - 0.125f * (float)i;
  }
  saxpy(1.5f);
  smooth();
  for (int i = 0; i < N; i++)
    sum += x[i] * (i + 1);
  printf("x %.6e\n", sum);
  return 0;
}
