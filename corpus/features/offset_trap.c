/* Trap: a[i] = a[i + n] with an n that is not known. It is passed as 1, so the iterations overlap. */
#include <stdio.h>

#define N 64

static double a[2 * N + 1];

static void shift_down(int n)
{
  for (int i = 0; i < N; i++)
    a[i] = a[i + n] + 1.0;
}

static void shift_up(int n)
{
  for (int i = 0; i < N; i++)
    a[i + n] = a[i] * 0.5 + 2.0;
}

/* a stride that is not known, and may be zero */
static void unknown_stride(int s)
{
  for (int i = 0; i < N; i++)
    a[s * i] = a[s * i] * 0.5 + i;
}

static double checksum(void)
{
  double sum = 0.0;

  for (int i = 0; i < 2 * N + 1; i++)
    sum += a[i] * (i + 1);
  return sum;
}

int main(void)
{
  for (int i = 0; i < 2 * N + 1; i++)
    a[i] = 0.1 * i * i;
  shift_down(1);
  printf("a %.10e\n", checksum());
  shift_up(1);
  printf("a %.10e\n", checksum());
  shift_up(N);
  printf("a %.10e\n", checksum());
  unknown_stride(0);
  printf("a %.10e\n", checksum());
  return 0;
}
