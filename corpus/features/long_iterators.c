/* Iterators of type long, size_t, unsigned and short. */
#include <stdio.h>

#include <stddef.h>

#define N 90

static double a[N], b[N], c[N], d[N];

static void with_long(long n)
{
  for (long i = 0; i < n; i++)
    a[i] = 0.5 * (double)i + 1.0;
}

static void with_size(size_t n)
{
  size_t i;

  for (i = 0; i < n; ++i)
    b[i] = a[i] * a[i];
}

static void with_unsigned(unsigned n)
{
  for (unsigned i = 1; i < n; i += 2)
    c[i] = b[i - 1];
}

static void with_short(void)
{
  for (short i = 0; i < N; i++)
    d[i] = b[i] - a[i];
}

int main(void)
{
  double sum_b = 0.0, sum_c = 0.0, sum_d = 0.0;

  with_long(N);
  with_size(N);
  with_unsigned(N);
  with_short();
  for (size_t i = 0; i < N; i++) {
    sum_b += b[i] * (double)(i + 1);
    sum_c += c[i] * (double)(i + 1);
    sum_d += d[i] * (double)(i + 1);
  }
  printf("b %.10e\nc %.10e\nd %.10e\n", sum_b, sum_c, sum_d);
  return 0;
}
