/* Many small systems solved by elimination with partial pivoting: the loops are short and run very often. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define A(i, j) a[(i) * lda + (j)]
#define SWAP(x, y) do { double swap_ = (x); (x) = (y); (y) = swap_; } while (0)

static int factor(double *a, int lda, int n, int *pivot)
{
  int i, j, k, p;
  for (k = 0; k < n; ++k) {
    p = k;
    for (i = k + 1; i < n; ++i)
      if (fabs(A(i, k)) > fabs(A(p, k)))
        p = i;
    pivot[k] = p;
    if (A(p, k) == 0.0)
      return k + 1;
    if (p != k)
      for (j = 0; j < n; ++j)
        SWAP(A(p, j), A(k, j));
    for (i = k + 1; i < n; ++i)
      A(i, k) /= A(k, k);
    for (i = k + 1; i < n; ++i)
      for (j = k + 1; j < n; ++j)
        A(i, j) -= A(i, k) * A(k, j);
  }
  return 0;
}

static void substitute(const double *a, int lda, int n, const int *pivot, double *b)
{
  int i, j;
  for (i = 0; i < n; ++i)
    if (pivot[i] != i)
      SWAP(b[i], b[pivot[i]]);
  for (i = 1; i < n; ++i)
    for (j = 0; j < i; ++j)
      b[i] -= A(i, j) * b[j];
  for (i = n - 1; i >= 0; --i) {
    for (j = i + 1; j < n; ++j)
      b[i] -= A(i, j) * b[j];
    b[i] /= A(i, i);
  }
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 24, systems = argc > 2 ? atoi(argv[2]) : 46000;
  int lda = n + 3, s, i, j, singular = 0;
  double *a = malloc(sizeof *a * n * lda), *b = malloc(sizeof *b * n), check = 0;
  int *pivot = malloc(sizeof *pivot * n);
  unsigned seed = 7;
  struct timespec t0, t1;

  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (s = 0; s < systems; ++s) {
    for (i = 0; i < n; ++i) {
      for (j = 0; j < n; ++j) {
        seed = seed * 1103515245u + 12345u;
        A(i, j) = (int)(seed >> 16 & 1023) / 1024.0 + (i == j) * 4;
      }
      b[i] = 1 + (i + s) % 3;
    }
    if (factor(a, lda, n, pivot)) {
      singular++;
      continue;
    }
    substitute(a, lda, n, pivot, b);
    for (i = 0; i < n; ++i)
      check += fabs(b[i]);
  }
  clock_gettime(CLOCK_MONOTONIC, &t1);
  printf("%d singular, %.7e\n", singular, check);
  fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
  return 0;
}
