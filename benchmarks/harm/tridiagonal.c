/* Implicit diffusion in two directions: a tridiagonal system per line, with buffers per line. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void thomas(int n, double low, double mid, double up, double rhs[n], double x[n])
{
  double c[n], d[n];

  c[0] = up / mid;
  d[0] = rhs[0] / mid;
  for (int i = 1; i < n; i++) {
    double m = 1 / (mid - low * c[i - 1]);
    c[i] = up * m;
    d[i] = (rhs[i] - low * d[i - 1]) * m;
  }
  x[n - 1] = d[n - 1];
  for (int i = n - 2; i >= 0; i--)
    x[i] = d[i] - c[i] * x[i + 1];
}

static void rows(int n, double u[n][n], double r)
{
  for (int y = 0; y < n; y++) {
    double rhs[n], x[n];
    for (int i = 0; i < n; i++) {
      double above = y > 0 ? u[y - 1][i] : 0, below = y < n - 1 ? u[y + 1][i] : 0;
      rhs[i] = u[y][i] + 0.001 * r * (above + below - 2 * u[y][i]);
    }
    thomas(n, -r, 1 + 2 * r, -r, rhs, x);
    for (int i = 0; i < n; i++)
      u[y][i] = x[i];
  }
}

static void columns(int n, double u[n][n], double r)
{
  for (int x = 0; x < n; x++) {
    double rhs[n], line[n];
    for (int i = 0; i < n; i++)
      rhs[i] = u[i][x];
    thomas(n, -r, 1 + 2 * r, -r, rhs, line);
    for (int i = 0; i < n; i++)
      u[i][x] = line[i];
  }
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 260, steps = argc > 2 ? atoi(argv[2]) : 80;
  double (*u)[n] = malloc(sizeof(double[n][n])), sum = 0;
  struct timespec t0, t1;

  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      u[y][x] = (x > n / 4 && x < n / 2 && y > n / 3) ? 100 : 1;
  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (int s = 0; s < steps; s++) {
    rows(n, u, 0.2);
    columns(n, u, 0.2);
  }
  clock_gettime(CLOCK_MONOTONIC, &t1);
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      sum += u[y][x] * (1 + (x + y) % 4);
  printf("%.9e\n", sum);
  fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
  free(u);
  return 0;
}
