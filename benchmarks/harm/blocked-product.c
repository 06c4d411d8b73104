/* A product of matrices in blocks, as one writes it by hand; matrices know their size and their leading dimension. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef BLOCK
#define BLOCK 48
#endif
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define EL(m, r, c) ((m).data[(size_t)(r) * (m).ld + (c)])

typedef struct {
  size_t rows, cols, ld;
  double *data;
} Matrix;

static Matrix matrix_new(size_t rows, size_t cols)
{
  Matrix m = { rows, cols, (cols + 7) & ~(size_t)7, NULL };
  m.data = calloc(m.rows * m.ld, sizeof(double));
  if (m.data == NULL) {
    fprintf(stderr, "no memory for %zu x %zu\n", rows, cols);
    exit(EXIT_FAILURE);
  }
  return m;
}

static void block_product(Matrix a, Matrix b, Matrix c, size_t i0, size_t j0, size_t k0)
{
  size_t i1 = MIN(i0 + BLOCK, c.rows), j1 = MIN(j0 + BLOCK, c.cols), k1 = MIN(k0 + BLOCK, a.cols);
  for (size_t i = i0; i < i1; i++)
    for (size_t k = k0; k < k1; k++) {
      double x = EL(a, i, k);
      for (size_t j = j0; j < j1; j++)
        EL(c, i, j) += x * EL(b, k, j);
    }
}

static void product(Matrix a, Matrix b, Matrix c)
{
  for (size_t i = 0; i < c.rows; i += BLOCK)
    for (size_t k = 0; k < a.cols; k += BLOCK)
      for (size_t j = 0; j < c.cols; j += BLOCK)
        block_product(a, b, c, i, j, k);
}

static void clear(Matrix m)
{
  for (size_t r = 0; r < m.rows; r++)
    for (size_t c = 0; c < m.cols; c++)
      EL(m, r, c) = 0.0;
}

static double trace(Matrix m)
{
  double t = 0.0;
  for (size_t i = 0; i < MIN(m.rows, m.cols); i++)
    t += EL(m, i, i);
  return t;
}

int main(int argc, char **argv)
{
  size_t n = argc > 1 ? (size_t)atoi(argv[1]) : 400;
  int times = argc > 2 ? atoi(argv[2]) : 5;
  Matrix a = matrix_new(n, n + 13), b = matrix_new(n + 13, n), c = matrix_new(n, n);
  double sum = 0.0;
  struct timespec t0, t1;

  for (size_t r = 0; r < a.rows; r++)
    for (size_t k = 0; k < a.cols; k++) {
      EL(a, r, k) = (double)((r * 31 + k * 17) % 64) / 64.0;
      EL(b, k, r) = (double)((r * 13 + k * 29) % 64) / 64.0;
    }
  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (int t = 0; t < times; t++) {
    clear(c);
    product(a, b, c);
    sum += trace(c);
    EL(a, (size_t)t % a.rows, 0) += 0.5;
  }
  clock_gettime(CLOCK_MONOTONIC, &t1);
  printf("%.9e\n", sum);
  fprintf(stderr, "%.6f\n", (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec));
  return 0;
}
