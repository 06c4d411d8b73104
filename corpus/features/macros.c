/* Macros in bodies, in bounds, as subscripts, and a loop that comes out of a macro. */
#include <stdio.h>

#define N 45
#define LAST (N - 1)
#define SQR(x) ((x) * (x))
#define AT(m, i, j) m[(i) * N + (j)]
#define FOR(i, n) for (int i = 0; i < (n); i++)

static double a[N], b[N], m[N * N];

static void in_body(void)
{
  for (int i = 0; i < N; i++)
    b[i] = SQR(a[i]) + SQR(a[LAST - i]);
}

static void in_bound(void)
{
  for (int i = 1; i < LAST; i++)
    a[i] = b[i - 1] + b[i + 1];
}

static void in_subscript(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      AT(m, i, j) = a[i] - b[j];
}

static void from_macro(void)
{
  FOR(i, N)
    a[i] += 1.0;
}

int main(void)
{
  double sum_a = 0.0, sum_m = 0.0;

  for (int i = 0; i < N; i++)
    a[i] = 0.2 * i - 0.001 * i * i;
  in_body();
  in_bound();
  in_subscript();
  from_macro();
  for (int i = 0; i < N; i++)
    sum_a += a[i] * (i + 1);
  for (int i = 0; i < N * N; i++)
    sum_m += m[i] * (i % 17 + 1);
  printf("a %.10e\nm %.10e\n", sum_a, sum_m);
  return 0;
}
