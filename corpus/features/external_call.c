/* Calls: a function with a state, an unknown function behind a pointer, rand; and two that are known to be pure. */
#include <stdio.h>

#include <math.h>
#include <stdlib.h>

#define N 40

static double a[N], b[N], c[N], d[N], e[N];
static unsigned state = 12345u;

static double next(void)
{
  state = (state * 1103515245u + 12345u) & 0x7fffffffu;
  return state / 2147483648.0;
}

static double square(double x)
{
  return x * x;
}

static double halve(double x)
{
  return 0.5 * x;
}

static double (*volatile operation)(double) = halve;

static void with_state(void)
{
  for (int i = 0; i < N; i++)
    a[i] = next();
}

static void unknown(void)
{
  for (int i = 0; i < N; i++)
    b[i] = operation(a[i]);
}

static void from_library(void)
{
  for (int i = 0; i < N; i++)
    c[i] = rand() % 100;
}

static void pure_library(void)
{
  for (int i = 0; i < N; i++)
    d[i] = sqrt(a[i]) + exp(-a[i]);
}

static void pure_own(void)
{
  for (int i = 0; i < N; i++)
    e[i] = square(a[i]) + 1.0;
}

int main(void)
{
  double sum_a = 0.0, sum_b = 0.0, sum_c = 0.0, sum_d = 0.0, sum_e = 0.0;

  srand(3);
  with_state();
  unknown();
  from_library();
  pure_library();
  pure_own();
  for (int i = 0; i < N; i++) {
    sum_a += a[i] * (i + 1);
    sum_b += b[i] * (i + 1);
    sum_c += c[i] * (i + 1);
    sum_d += d[i] * (i + 1);
    sum_e += e[i] * (i + 1);
  }
  printf("a %.10e\nb %.10e\nc %.10e\nd %.10e\ne %.10e\n", sum_a, sum_b, sum_c, sum_d, sum_e);
  return 0;
}
