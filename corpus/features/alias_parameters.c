/* Pointer parameters that may overlap: called with separate arrays, and with arrays that do. */
#include <stdio.h>

#define N 60

static double a[N + 1], b[N + 1], c[N + 1];

/* parallel, provided that the arrays do not overlap */
static void scale(int n, double *out, const double *in, double factor)
{
  for (int i = 0; i < n; i++)
    out[i] = factor * in[i];
}

static void add(int n, double x[], double y[], double z[])
{
  for (int i = 0; i < n; i++)
    z[i] = x[i] + y[i];
}

/* one array only: nothing to overlap with */
static void negate(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] = -x[i];
}

/* reads only: nothing to disturb */
static double dot(int n, const double *x, const double *y)
{
  double s = 0.0;

  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}

static void print(void)
{
  double sum_a = 0.0, sum_b = 0.0, sum_c = 0.0;

  for (int i = 0; i <= N; i++) {
    sum_a += a[i] * (i + 1);
    sum_b += b[i] * (i + 1);
    sum_c += c[i] * (i + 1);
  }
  printf("a %.10e b %.10e c %.10e\n", sum_a, sum_b, sum_c);
}

int main(void)
{
  for (int i = 0; i <= N; i++) {
    a[i] = 1.0 + 0.01 * i;
    b[i] = 2.0 - 0.02 * i;
    c[i] = 0.03 * i;
  }
  /* separate arrays */
  scale(N, b, a, 1.01);
  add(N, a, b, c);
  print();
  /* the output is the input, one cell further: every cell comes from the one before it */
  scale(N, a + 1, a, 1.01);
  add(N, c, b, c + 1);
  negate(N, b);
  print();
  printf("dot %.10e\n", dot(N, a, b));
  return 0;
}
