/* Knapsacks and common subsequences: tables of dynamic programming, one downwards, one along two strings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct item { unsigned weight, value; };

static inline unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }

static unsigned knapsack(const struct item *items, size_t n, unsigned room, unsigned *best)
{
  memset(best, 0, (room + 1) * sizeof *best);
  for (size_t i = 0; i < n; ++i) {
    const unsigned weight = items[i].weight, value = items[i].value;
    for (unsigned r = room; r >= weight; --r)
      best[r] = umax(best[r], best[r - weight] + value);
  }
  return best[room];
}

static unsigned common(const char *s, const char *t, size_t n, unsigned **table)
{
  for (size_t i = 0; i <= n; ++i)
    table[i][0] = table[0][i] = 0;
  for (size_t i = 1; i <= n; ++i)
    for (size_t j = 1; j <= n; ++j)
      if (s[i - 1] == t[j - 1])
        table[i][j] = table[i - 1][j - 1] + 1;
      else
        table[i][j] = umax(table[i - 1][j], table[i][j - 1]);
  return table[n][n];
}

static void fill(struct item *items, char *s, char *t, size_t n, unsigned salt)
{
  for (size_t i = 0; i < n; ++i) {
    unsigned k = (unsigned)i;
    items[i].weight = 3 + (k * 37 + salt) % 61;
    items[i].value = 5 + (k * 53 + salt * 7) % 89;
    s[i] = (char)('a' + (k * k + salt) % 7);
    t[i] = (char)('a' + (k * 3 + salt) % 5);
  }
}

int main(int argc, char **argv)
{
  size_t n = argc > 1 ? (size_t)atoi(argv[1]) : 300;
  int times = argc > 2 ? atoi(argv[2]) : 75;
  unsigned room = (unsigned)n * 15, sum = 0;
  struct item *items = malloc(n * sizeof *items);
  unsigned *best = malloc((room + 1) * sizeof *best), **table = malloc((n + 1) * sizeof *table);
  char *s = malloc(n), *t = malloc(n);
  struct timespec t0, t1;

  for (size_t i = 0; i <= n; ++i)
    table[i] = malloc((n + 1) * sizeof **table);
  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (int k = 0; k < times; ++k) {
    fill(items, s, t, n, (unsigned)k);
    sum = sum * 3 + knapsack(items, n, room, best);
    sum = sum * 5 + common(s, t, n, table);
  }
  clock_gettime(CLOCK_MONOTONIC, &t1);
  printf("%u\n", sum);
  fprintf(stderr, "%.6f\n", (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec));
  return 0;
}
