/* Words of a text: a state machine cuts them, a hash table counts them. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLOTS (1 << 14)
#define MASK (SLOTS - 1)

typedef struct { const char *text; int length; long count; } slot;

typedef enum { OUTSIDE, WORD, NUMBER } state;

static slot table[SLOTS];
static long words, numbers;

static unsigned long hash(const char *s, int n)
{
  unsigned long h = 5381;
  while (n-- > 0)
    h = h * 33 ^ (unsigned char)*s++;
  return h;
}

static void count(const char *s, int n)
{
  unsigned long h = hash(s, n) & MASK;
  while (table[h].text && (table[h].length != n || memcmp(table[h].text, s, n)))
    h = (h + 1) & MASK;
  table[h].text = s;
  table[h].length = n;
  table[h].count++;
}

static void scan(const char *p, const char *end)
{
  const char *begin = p;
  state now = OUTSIDE;
  for (; p < end; p++) {
    int c = (unsigned char)*p;
    switch (now) {
    case OUTSIDE:
      if (isalpha(c)) { now = WORD; begin = p; }
      else if (isdigit(c)) { now = NUMBER; numbers++; }
      break;
    case WORD:
      if (!isalpha(c)) {
        count(begin, p - begin);
        words++;
        now = OUTSIDE;
      }
      break;
    case NUMBER:
      if (!isdigit(c)) now = OUTSIDE;
      break;
    }
  }
}

static char *invent(long size)
{
  static const char *syllable[] = {"ka", "to", "ri", "men", "su", "pol", "de", "an"};
  char *text = malloc(size + 16);
  unsigned seed = 17;
  long n = 0;
  while (n < size) {
    int parts;
    seed = seed * 1664525u + 1013904223u;
    parts = 1 + (seed >> 28) % 4;
    while (parts-- && n < size) {
      seed = seed * 1664525u + 1013904223u;
      n += sprintf(text + n, "%s", syllable[seed >> 29]);
    }
    n += sprintf(text + n, seed & 256 ? " " : seed & 512 ? ", 42 " : ". ");
  }
  text[n] = 0;
  return text;
}

int main(int argc, char **argv)
{
  long size = argc > 1 ? atol(argv[1]) * 1000 : 400000, sum = 0;
  int times = argc > 2 ? atoi(argv[2]) : 110, i;
  char *text = invent(size);
  struct timespec t0, t1;

  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (i = 0; i < times; i++)
    scan(text, text + strlen(text));
  clock_gettime(CLOCK_MONOTONIC, &t1);
  for (i = 0; i < SLOTS; i++)
    if (table[i].text)
      sum = (sum + table[i].count * (hash(table[i].text, table[i].length) % 1009)) % 1000000007L;
  printf("%ld words, %ld numbers, %ld\n", words, numbers, sum);
  fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
  return 0;
}
