/* Subscripts with factors and offsets: the iteration space is not the domain of any array. */
#include <stdio.h>

#define N 60

static double a[3 * N + 10], b[N + 20], c[2 * N];

static void shifted_stride(void)
{
  for (int i = 5; i < N; i++)
    b[i + 12] = a[3 * i - 4] + a[3 * i + 5];
}

/* even cells from odd ones */
static void odd_to_even(void)
{
  for (int i = 0; i < N; i++)
    c[2 * i] = c[2 * i + 1] * 0.5;
}

/* upper half from the lower one */
static void half_to_half(void)
{
  for (int i = 0; i < N; i++)
    c[i + N] = c[i] + 1.0;
}

/* mirrored in place: iteration i reads what iteration N - 1 - i writes */
static void mirrored(void)
{
  for (int i = 0; i < N; i++)
    c[i] = c[N - 1 - i] + 0.5;
}

int main(void)
{
  double sum_b = 0.0, sum_c = 0.0;

  for (int i = 0; i < 3 * N + 10; i++)
    a[i] = 0.1 * i * i - i;
  for (int i = 0; i < N + 20; i++)
    b[i] = i;
  for (int i = 0; i < 2 * N; i++)
    c[i] = 7.0 + 0.3 * i;
  shifted_stride();
  odd_to_even();
  half_to_half();
  mirrored();
  for (int i = 0; i < N + 20; i++)
    sum_b += b[i] * (i + 1);
  for (int i = 0; i < 2 * N; i++)
    sum_c += c[i] * (i + 1);
  printf("b %.10e\nc %.10e\n", sum_b, sum_c);
  return 0;
}
