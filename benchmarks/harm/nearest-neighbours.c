/* The five nearest neighbours of each query, by looking at all; a vote decides. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define K 5

struct table {
  size_t rows, cols;
  float *cell;
};

struct model {
  struct table *features;
  unsigned char *class;
};

struct best {
  float distance[K];
  size_t row[K];
};

#define ROW(t, r) ((t)->cell + (r) * (t)->cols)

static float distance(const float *restrict a, const float *restrict b, size_t n)
{
  float s = 0;
  for (size_t i = 0; i < n; i++)
    s += (a[i] - b[i]) * (a[i] - b[i]);
  return s;
}

static void insert(struct best *b, float d, size_t row)
{
  int i = K - 1;
  if (d >= b->distance[i])
    return;
  while (i > 0 && b->distance[i - 1] > d) {
    b->distance[i] = b->distance[i - 1];
    b->row[i] = b->row[i - 1];
    i--;
  }
  b->distance[i] = d;
  b->row[i] = row;
}

static int classify(const struct model *m, const float *query)
{
  struct best b;
  int votes[4] = {0}, winner = 0;
  for (int k = 0; k < K; k++) {
    b.distance[k] = 1e30f;
    b.row[k] = 0;
  }
  for (size_t r = 0; r < m->features->rows; r++)
    insert(&b, distance(ROW(m->features, r), query, m->features->cols), r);
  for (int k = 0; k < K; k++)
    votes[m->class[b.row[k]]]++;
  for (int c = 1; c < 4; c++)
    if (votes[c] > votes[winner])
      winner = c;
  return winner;
}

static struct table *new_table(size_t rows, size_t cols, unsigned seed)
{
  struct table *t = malloc(sizeof *t);
  t->rows = rows;
  t->cols = cols;
  t->cell = malloc(rows * cols * sizeof *t->cell);
  for (size_t i = 0; i < rows * cols; i++) {
    seed = seed * 1664525u + 1013904223u;
    t->cell[i] = (float)(seed >> 12) / 65536;
  }
  return t;
}

int main(int argc, char **argv)
{
  size_t rows = argc > 1 ? (size_t)atoi(argv[1]) : 5000, queries = argc > 2 ? (size_t)atoi(argv[2]) : 5500;
  struct model m = {new_table(rows, 9, 3), malloc(rows)};
  struct table *q = new_table(queries, 9, 1234567);
  int *answer = malloc(queries * sizeof *answer);
  unsigned sum = 0;
  struct timespec t0, t1;
  for (size_t r = 0; r < rows; r++)
    m.class[r] = (unsigned char)(ROW(m.features, r)[0] + ROW(m.features, r)[3] > 14 ? 2 + r % 2 : r % 2);
  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (size_t i = 0; i < q->rows; i++)
    answer[i] = classify(&m, ROW(q, i));
  clock_gettime(CLOCK_MONOTONIC, &t1);
  for (size_t i = 0; i < queries; i++)
    sum = sum * 5 + (unsigned)answer[i];
  printf("%u\n", sum);
  fprintf(stderr, "%.6f\n", (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec));
  return 0;
}
