/* 1-D stencils: five points, one-sided, and one in place, which is serial. */
#include <stdio.h>

#define N 200

static double a[N], b[N], c[N], d[N];

static void five_points(void)
{
  for (int i = 2; i < N - 2; i++)
    b[i] = 0.1 * a[i - 2] + 0.2 * a[i - 1] + 0.4 * a[i] + 0.2 * a[i + 1] + 0.1 * a[i + 2];
}

static void one_sided(void)
{
  for (int i = 0; i < N - 1; i++)
    c[i] = a[i + 1] - a[i];
}

static void in_place(void)
{
  for (int i = 1; i < N - 1; i++)
    d[i] = 0.5 * (d[i - 1] + d[i + 1]);
}

int main(void)
{
  double sum_b = 0.0, sum_c = 0.0, sum_d = 0.0;

  for (int i = 0; i < N; i++) {
    a[i] = (double)((i * 37) % 101) + 0.01 * i;
    d[i] = (double)((i * 41) % 97);
  }
  five_points();
  one_sided();
  in_place();
  for (int i = 0; i < N; i++) {
    sum_b += b[i] * (i + 1);
    sum_c += c[i] * (i + 1);
    sum_d += d[i] * (i + 1);
  }
  printf("b %.10e\nc %.10e\nd %.10e\n", sum_b, sum_c, sum_d);
  return 0;
}
