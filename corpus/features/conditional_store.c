/* Stores under a condition: the other cells must keep their values. */
#include <stdio.h>

#define N 80

static double a[N], b[N], c[N];

static void by_value(void)
{
  for (int i = 0; i < N; i++)
    if (a[i] > 5.0)
      b[i] = a[i] * 2.0;
}

static void by_place(void)
{
  for (int i = 0; i < N; i++)
    if (i % 3 == 1)
      c[i] = a[i] + b[i];
}

static void clamp(void)
{
  for (int i = 0; i < N; i++) {
    if (a[i] < 2.0)
      a[i] = 2.0;
    else if (a[i] > 8.0)
      a[i] = 8.0;
  }
}

static void with_continue(void)
{
  for (int i = 0; i < N; i++) {
    if (b[i] < 0.0)
      continue;
    c[i] -= b[i];
  }
}

int main(void)
{
  double sum_a = 0.0, sum_b = 0.0, sum_c = 0.0;

  for (int i = 0; i < N; i++) {
    a[i] = (double)((i * 19) % 11) + 0.01 * i;
    b[i] = -1.0 * i;
    c[i] = 100.0 + i;
  }
  by_value();
  by_place();
  clamp();
  with_continue();
  for (int i = 0; i < N; i++) {
    sum_a += a[i] * (i + 1);
    sum_b += b[i] * (i + 1);
    sum_c += c[i] * (i + 1);
  }
  printf("a %.10e\nb %.10e\nc %.10e\n", sum_a, sum_b, sum_c);
  return 0;
}
