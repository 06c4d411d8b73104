/* The cheapest order of matrix products, for many chains: a triangular table, by growing length. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAXN 512
#define AT(t, i, j) (t)[(long)(i) * (MAXN + 1) + (j)]

static long dims[MAXN + 1];
static long cost[(MAXN + 1) * (MAXN + 1)];
static short split[(MAXN + 1) * (MAXN + 1)];

static long chain(long n)
{
  long len, i, k;

  for (i = 0; i < n; i++)
    AT(cost, i, i) = 0;
  for (len = 2; len <= n; len++)
    for (i = 0; i + len <= n; i++) {
      long j = i + len - 1, best = LONG_MAX, where = i;
      for (k = i; k < j; k++) {
        long c = AT(cost, i, k) + AT(cost, k + 1, j) + dims[i] * dims[k + 1] * dims[j + 1];
        if (c < best) {
          best = c;
          where = k;
        }
      }
      AT(cost, i, j) = best;
      AT(split, i, j) = (short)where;
    }
  return AT(cost, 0, n - 1);
}

static int depth(long i, long j)
{
  int l, r;

  if (i == j)
    return 0;
  l = depth(i, AT(split, i, j));
  r = depth(AT(split, i, j) + 1, j);
  return 1 + (l > r ? l : r);
}

int main(int argc, char **argv)
{
  long n = argc > 1 ? atol(argv[1]) : 180, i;
  int chains = argc > 2 ? atoi(argv[2]) : 110, c, deepest = 0;
  unsigned long sum = 0;
  struct timespec t0, t1;

  if (n > MAXN)
    n = MAXN;
  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (c = 0; c < chains; c++) {
    int d;
    for (i = 0; i <= n; i++)
      dims[i] = 5 + (i * (37 + c) + i * i) % 90;
    sum += (unsigned long)chain(n);
    d = depth(0, n - 1);
    if (d > deepest)
      deepest = d;
  }
  clock_gettime(CLOCK_MONOTONIC, &t1);
  printf("%lu %d\n", sum, deepest);
  fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
  return 0;
}
