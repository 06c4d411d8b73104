/* Conjugate gradients for a sparse symmetric matrix in compressed rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct csr {
  long rows;
  long *start;
  int *col;
  double *val;
};

static void multiply(const struct csr *m, const double *x, double *y)
{
  for (long i = 0; i < m->rows; i++) {
    double s = 0;
    for (long e = m->start[i]; e < m->start[i + 1]; e++)
      s += m->val[e] * x[m->col[e]];
    y[i] = s;
  }
}

static double inner(const double *a, const double *b, long n)
{
  double s = 0;
  for (long i = 0; i < n; i++)
    s += a[i] * b[i];
  return s;
}

static void axpy(double a, const double *x, double *y, long n)
{
  for (long i = 0; i < n; i++)
    y[i] += a * x[i];
}

static void xpby(const double *x, double b, double *y, long n)
{
  for (long i = 0; i < n; i++)
    y[i] = x[i] + b * y[i];
}

/* The five-point matrix of a square grid, with a little more on the diagonal. */
static struct csr grid(int side)
{
  struct csr m;
  long e = 0;
  m.rows = (long)side * side;
  m.start = malloc((m.rows + 1) * sizeof *m.start);
  m.col = malloc(5 * m.rows * sizeof *m.col);
  m.val = malloc(5 * m.rows * sizeof *m.val);
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      int i = y * side + x;
      m.start[i] = e;
      if (y > 0) { m.col[e] = i - side; m.val[e++] = -1; }
      if (x > 0) { m.col[e] = i - 1; m.val[e++] = -1; }
      m.col[e] = i;
      m.val[e++] = 4.01 + (i % 5) * 0.001;
      if (x < side - 1) { m.col[e] = i + 1; m.val[e++] = -1; }
      if (y < side - 1) { m.col[e] = i + side; m.val[e++] = -1; }
    }
  m.start[m.rows] = e;
  return m;
}

int main(int argc, char **argv)
{
  int side = argc > 1 ? atoi(argv[1]) : 260, limit = argc > 2 ? atoi(argv[2]) : 440, k = 0;
  struct csr m = grid(side);
  long n = m.rows;
  double *x = calloc(n, 8), *r = malloc(n * 8), *p = malloc(n * 8), *q = malloc(n * 8);
  struct timespec a, b;
  for (long i = 0; i < n; i++)
    r[i] = p[i] = 1 + (i % 7) * 0.25;
  clock_gettime(CLOCK_MONOTONIC, &a);
  double rho = inner(r, r, n);
  while (k < limit && rho > 1e-30) {
    multiply(&m, p, q);
    double alpha = rho / inner(p, q, n);
    axpy(alpha, p, x, n);
    axpy(-alpha, q, r, n);
    double next = inner(r, r, n);
    xpby(r, next / rho, p, n);
    rho = next;
    k++;
  }
  clock_gettime(CLOCK_MONOTONIC, &b);
  printf("%.7e\n", sqrt(inner(x, x, n)));
  fprintf(stderr, "%.6f\n", (b.tv_sec - a.tv_sec) + 1e-9 * (b.tv_nsec - a.tv_nsec));
  return 0;
}
