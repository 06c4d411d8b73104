/* Trap: scalars that carry a value from one iteration to the next. */
#include <stdio.h>

#define N 60

static double a[N], b[N];

/* t is read before it is written */
static void delayed(void)
{
  double t = 0.0;

  for (int i = 0; i < N; i++) {
    b[i] = t;
    t = a[i];
  }
}

/* no reduction: the factor and the term do not commute */
static double horner(double x)
{
  double s = 0.0;

  for (int i = 0; i < N; i++)
    s = s * x + a[i];
  return s;
}

/* s looks like a sum, but its partial sums are used */
static double running(void)
{
  double s = 0.0;

  for (int i = 0; i < N; i++) {
    s += a[i];
    b[i] += s;
  }
  return s;
}

/* a second iterator: its value could be computed from i, though here it moves by what the data say */
static int compact(void)
{
  int n = 0;

  for (int i = 0; i < N; i++)
    if (a[i] > 10.0)
      b[n++] = a[i];
  return n;
}

int main(void)
{
  double sum = 0.0;

  for (int i = 0; i < N; i++)
    a[i] = (double)((i * 17) % 23) + 0.01 * i;
  delayed();
  double h = horner(0.75);
  double s = running();
  int n = compact();
  for (int i = 0; i < N; i++)
    sum += b[i] * (i + 1);
  printf("b %.10e\nhorner %.10e\nsum %.10e\nn %d\n", sum, h, s, n);
  return 0;
}
