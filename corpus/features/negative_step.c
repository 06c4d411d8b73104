/* Loops that count down: independent, in place, and one that carries a value from i + 1 to i. */
#include <stdio.h>

#define N 100

static double a[N], b[N], c[N];

static void copy_down(void)
{
  for (int i = N - 1; i >= 0; i--)
    b[i] = 2.0 * a[i] + i;
}

static void even_down(void)
{
  for (int i = N - 2; i >= 0; i -= 2)
    a[i] = a[i + 1] - 1.0;
}

static void carried_down(void)
{
  for (int i = N - 2; i >= 0; i--)
    c[i] = 0.5 * c[i + 1] + b[i];
}

int main(void)
{
  double sum_a = 0.0, sum_b = 0.0, sum_c = 0.0;

  for (int i = 0; i < N; i++) {
    a[i] = 0.1 * i * i;
    c[i] = 1.0;
  }
  copy_down();
  even_down();
  carried_down();
  for (int i = N; i > 0; i--) {
    sum_a += a[i - 1] * i;
    sum_b += b[i - 1] * i;
    sum_c += c[i - 1] * i;
  }
  printf("a %.10e\nb %.10e\nc %.10e\n", sum_a, sum_b, sum_c);
  return 0;
}
