/* Edit distances between words of a dictionary and a misspelt one, with two rows that change places. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONGEST 32

struct dictionary
{
  size_t count;
  char (*words)[LONGEST];
};

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
  unsigned m = a < b ? a : b;
  return m < c ? m : c;
}

static unsigned distance(const char *s, size_t ls, const char *t, size_t lt)
{
  unsigned buffer[2][LONGEST + 1], *above = buffer[0], *row = buffer[1], *keep;
  for (size_t j = 0; j <= lt; j++)
    above[j] = (unsigned)j;
  for (size_t i = 1; i <= ls; i++)
  {
    row[0] = (unsigned)i;
    for (size_t j = 1; j <= lt; j++)
      row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + (s[i - 1] != t[j - 1]));
    keep = above;
    above = row;
    row = keep;
  }
  return above[lt];
}

static size_t closest(const struct dictionary *d, const char *word, unsigned *found)
{
  size_t best = 0, length = strlen(word);
  unsigned least = ~0u;
  for (size_t w = 0; w < d->count; w++)
  {
    unsigned this = distance(word, length, d->words[w], strlen(d->words[w]));
    if (this < least)
    {
      least = this;
      best = w;
    }
  }
  *found = least;
  return best;
}

static void invent(char *word, unsigned *seed)
{
  size_t length;
  *seed = *seed * 1664525u + 1013904223u;
  length = 4 + (*seed >> 20) % 12;
  for (size_t i = 0; i < length; i++)
  {
    *seed = *seed * 1664525u + 1013904223u;
    word[i] = (char)('a' + (*seed >> 24) % 26);
  }
  word[length] = '\0';
}

int main(int argc, char **argv)
{
  struct dictionary d;
  unsigned seed = 99, found, sum = 0;
  size_t where = 0;
  int queries = argc > 2 ? atoi(argv[2]) : 120;
  char word[LONGEST];
  struct timespec t0, t1;

  d.count = argc > 1 ? (size_t)atoi(argv[1]) : 12000;
  d.words = malloc(d.count * sizeof *d.words);
  if (!d.words)
    return 1;
  for (size_t w = 0; w < d.count; w++)
    invent(d.words[w], &seed);

  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (int q = 0; q < queries; q++)
  {
    invent(word, &seed);
    where = (where * 31 + closest(&d, word, &found)) % 1000003;
    sum += found;
  }
  clock_gettime(CLOCK_MONOTONIC, &t1);
  printf("%u %zu\n", sum, where);
  fprintf(stderr, "%.6f\n", (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec));
  free(d.words);
  return 0;
}
