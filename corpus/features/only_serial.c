/* A program whose loops are all serial. */
#include <stdio.h>

#define N 30

static unsigned a[N];

int main(void)
{
  unsigned x = 1u;
  int steps = 0;

  /* a generator: every number from the one before it */
  for (int i = 0; i < N; i++) {
    x = (x * 1664525u + 1013904223u) & 0xffffu;
    a[i] = x;
  }
  /* Fibonacci-like */
  for (int i = 2; i < N; i++)
    a[i] = (a[i] + a[i - 1] + a[i - 2]) % 10007u;
  /* Collatz */
  x = 27u;
  while (x != 1u) {
    x = x % 2u == 0u ? x / 2u : 3u * x + 1u;
    steps++;
  }
  /* a check value that depends on the order */
  unsigned check = 0u;
  for (int i = 0; i < N; i++)
    check = (check * 31u + a[i]) % 65521u;
  printf("check %u steps %d\n", check, steps);
  return 0;
}
