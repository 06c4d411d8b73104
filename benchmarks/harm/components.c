/* Connected components of a binary picture: labels flow to their neighbours until nothing changes. */
#include <stdio.h>
#include <stdlib.h>
#include <stdbool.h>
#include <time.h>

struct picture {
  long rows, cols;
  bool **set;
  int **label;
};

static void *or_die(void *p)
{
  if (!p) {
    perror("malloc");
    exit(1);
  }
  return p;
}

static struct picture create(long rows, long cols)
{
  struct picture p = {rows, cols, or_die(malloc(rows * sizeof(bool *))), or_die(malloc(rows * sizeof(int *)))};
  for (long r = 0; r < rows; r++) {
    p.set[r] = or_die(malloc(cols * sizeof(bool)));
    p.label[r] = or_die(malloc(cols * sizeof(int)));
  }
  return p;
}

static void number(struct picture *p)
{
  for (long r = 0; r < p->rows; r++)
    for (long c = 0; c < p->cols; c++)
      p->label[r][c] = p->set[r][c] ? (int)(r * p->cols + c + 1) : 0;
}

static int lower(int mine, int other)
{
  return other && other < mine ? other : mine;
}

static bool sweep(struct picture *p, bool forward)
{
  bool changed = false;
  for (long i = 0; i < p->rows; i++) {
    long r = forward ? i : p->rows - 1 - i;
    for (long j = 0; j < p->cols; j++) {
      long c = forward ? j : p->cols - 1 - j;
      int least = p->label[r][c];
      if (!least)
        continue;
      if (r > 0) least = lower(least, p->label[r - 1][c]);
      if (r < p->rows - 1) least = lower(least, p->label[r + 1][c]);
      if (c > 0) least = lower(least, p->label[r][c - 1]);
      if (c < p->cols - 1) least = lower(least, p->label[r][c + 1]);
      if (least != p->label[r][c]) {
        p->label[r][c] = least;
        changed = true;
      }
    }
  }
  return changed;
}

static long components(const struct picture *p)
{
  long n = 0;
  for (long r = 0; r < p->rows; r++)
    for (long c = 0; c < p->cols; c++)
      n += p->label[r][c] == r * p->cols + c + 1;
  return n;
}

int main(int argc, char **argv)
{
  long n = argc > 1 ? atol(argv[1]) : 260, total = 0;
  int times = argc > 2 ? atoi(argv[2]) : 5, sweeps = 0;
  struct picture p = create(n, n + 9);
  unsigned seed = 3;
  struct timespec t0, t1;
  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (int t = 0; t < times; t++) {
    for (long r = 0; r < p.rows; r++)
      for (long c = 0; c < p.cols; c++) {
        seed = seed * 1664525u + 1013904223u;
        p.set[r][c] = (seed >> 24) % 100 < 45;
      }
    number(&p);
    while (sweep(&p, sweeps % 2 == 0))
      sweeps++;
    total += components(&p);
  }
  clock_gettime(CLOCK_MONOTONIC, &t1);
  printf("%ld in %d sweeps\n", total, sweeps);
  fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
  return 0;
}
