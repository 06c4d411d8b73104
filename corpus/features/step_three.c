/* Steps of three: cells that are not on the way keep their values, and two of three phases do not meet the third. */
#include <stdio.h>

#define N 100

static double a[N], b[N];

static void every_third(void)
{
  for (int i = 1; i < N; i += 3)
    a[i] = -1.0 * i;
}

static void from_the_phase_before(void)
{
  for (int i = 2; i < N; i += 3)
    b[i] = b[i - 1] + b[i - 2];
}

static void from_the_same_phase(void)
{
  for (int i = 3; i < N; i += 3)
    b[i] = b[i - 3] + 1.0;
}

int main(void)
{
  double sum_a = 0.0, sum_b = 0.0;

  for (int i = 0; i < N; i++) {
    a[i] = 0.25 * i + 3.0;
    b[i] = 0.01 * i * i;
  }
  every_third();
  from_the_phase_before();
  from_the_same_phase();
  for (int i = 0; i < N; i++) {
    sum_a += a[i] * (i + 1);
    sum_b += b[i] * (i + 1);
  }
  printf("a %.10e\nb %.10e\n", sum_a, sum_b);
  return 0;
}
