/* Poisson's equation by overrelaxation, red and black cells in turn, until the residual is small. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define INSIDE(i, n) for (int i = 1; i < (n) - 1; i++)

struct problem { int n; double h, omega; };

static void colour(const struct problem *p, double (*u)[p->n], double (*f)[p->n], int parity)
{
  INSIDE(i, p->n)
    for (int j = 1 + (i + parity) % 2; j < p->n - 1; j += 2) {
      double around = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1];
      u[i][j] += p->omega * ((around - p->h * p->h * f[i][j]) / 4 - u[i][j]);
    }
}

static double residual(const struct problem *p, double (*u)[p->n], double (*f)[p->n])
{
  double worst = 0;
  INSIDE(i, p->n)
    INSIDE(j, p->n) {
      double r = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j]) / (p->h * p->h) - f[i][j];
      worst = fmax(worst, fabs(r));
    }
  return worst;
}

static int relax(const struct problem *p, double (*u)[p->n], double (*f)[p->n], int limit)
{
  int sweeps = 0;
  double r = HUGE_VAL;
  while (r > 1e-7 && sweeps < limit) {
    colour(p, u, f, 0);
    colour(p, u, f, 1);
    if (++sweeps % 10 == 0)
      r = residual(p, u, f);
  }
  return sweeps;
}

int main(int argc, char **argv)
{
  struct problem p;
  p.n = argc > 1 ? atoi(argv[1]) : 240;
  p.h = 1.0 / (p.n - 1);
  p.omega = 2 / (1 + sin(3.14159265358979 * p.h));
  int limit = argc > 2 ? atoi(argv[2]) : 900;
  double (*u)[p.n] = calloc(p.n, sizeof *u), (*f)[p.n] = calloc(p.n, sizeof *f), sum = 0;
  struct timespec t0, t1;

  for (int i = 0; i < p.n; i++)
    for (int j = 0; j < p.n; j++) {
      double x = j * p.h, y = i * p.h;
      f[i][j] = x * (1 - y) - 0.5 * (x > 0.3 && y < 0.6);
    }
  clock_gettime(CLOCK_MONOTONIC, &t0);
  int sweeps = relax(&p, u, f, limit);
  clock_gettime(CLOCK_MONOTONIC, &t1);
  for (int i = 0; i < p.n; i++)
    for (int j = 0; j < p.n; j++)
      sum += u[i][j] * (1 + (i * 3 + j) % 5);
  printf("%.6e %d\n", sum, sweeps > 0);
  fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
  free(u);
  free(f);
  return 0;
}
