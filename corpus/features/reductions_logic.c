/* Reductions with & | ^ && and ||. */
#include <stdio.h>

#define N 60

static int n[N];
static unsigned u[N];

static unsigned all_bits(void)
{
  unsigned m = 0xffffu;

  for (int i = 0; i < N; i++)
    m &= u[i] | 0x0ff0u;
  return m;
}

static unsigned any_bits(void)
{
  unsigned m = 0;

  for (int i = 0; i < N; i++)
    m |= u[i];
  return m;
}

static unsigned parity(void)
{
  unsigned m = 0;

  for (int i = 0; i < N; i++)
    m = m ^ u[i];
  return m;
}

static int all_positive(void)
{
  int yes = 1;

  for (int i = 0; i < N; i++)
    yes = yes && n[i] > 0;
  return yes;
}

static int any_equal(int value)
{
  int yes = 0;

  for (int i = 0; i < N; i++)
    yes = yes || n[i] == value;
  return yes;
}

int main(void)
{
  for (int i = 0; i < N; i++) {
    n[i] = (i * 7) % 50 + 1;
    u[i] = (unsigned)(i * 37) % 257u;
  }
  printf("%u %u %u\n", all_bits(), any_bits(), parity());
  printf("%d %d %d\n", all_positive(), any_equal(8), any_equal(1000));
  return 0;
}
