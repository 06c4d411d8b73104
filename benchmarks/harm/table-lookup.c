/* Properties of steam from a table over pressure and temperature: bisection, then bilinear interpolation. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct axis
{
  int     n;
  double *at;
} axis_t;

typedef struct table
{
  axis_t   p, t;
  double **value;
} table_t;

static int locate(const axis_t *axis, double x)
{
  int low = 0, high = axis->n - 1;

  while (high - low > 1)
  {
    int mid = (low + high) / 2;

    if (axis->at[mid] <= x)
      low = mid;
    else
      high = mid;
  }
  return low;
}

static double interpolate(const table_t *tab, double p, double t)
{
  int    i = locate(&tab->p, p), j = locate(&tab->t, t);
  double u = (p - tab->p.at[i]) / (tab->p.at[i + 1] - tab->p.at[i]);
  double v = (t - tab->t.at[j]) / (tab->t.at[j + 1] - tab->t.at[j]);

  return (1 - u) * ((1 - v) * tab->value[i][j] + v * tab->value[i][j + 1])
       + u * ((1 - v) * tab->value[i + 1][j] + v * tab->value[i + 1][j + 1]);
}

static axis_t make_axis(int n, double from, double factor)
{
  axis_t axis = { n, malloc(n * sizeof(double)) };
  int    i;

  for (i = 0; i < n; i++)
    axis.at[i] = from * pow(factor, i);
  return axis;
}

static table_t make_table(int n)
{
  table_t tab = { make_axis(n, 1.0, 1.08), make_axis(n, 273.0, 1.015), malloc(n * sizeof(double *)) };
  int     i, j;

  for (i = 0; i < n; i++)
  {
    tab.value[i] = malloc(n * sizeof(double));
    for (j = 0; j < n; j++)
      tab.value[i][j] = log(tab.p.at[i]) * sqrt(tab.t.at[j]);
  }
  return tab;
}

static void evaluate(const table_t *tab, const double *p, const double *t, double *h, int cells)
{
  int c;

  for (c = 0; c < cells; c++)
    h[c] = interpolate(tab, p[c], t[c]);
}

int main(int argc, char **argv)
{
  int      cells = argc > 1 ? atoi(argv[1]) : 20000, steps = argc > 2 ? atoi(argv[2]) : 330, c, s;
  table_t  tab = make_table(64);
  double  *p = malloc(cells * sizeof *p), *t = malloc(cells * sizeof *t), *h = malloc(cells * sizeof *h), sum = 0;
  struct timespec begin, end;

  for (c = 0; c < cells; c++)
  {
    p[c] = 1.5 + c * 37 % 1000 / 10.0;
    t[c] = 280.0 + c * 53 % 3000 / 10.0;
  }
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (s = 0; s < steps; s++)
  {
    evaluate(&tab, p, t, h, cells);
    for (c = 0; c < cells; c++)
      t[c] += 0.01 * (h[c] > 60 ? -1 : 1);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  for (c = 0; c < cells; c++)
    sum += h[c];
  printf("%.9e\n", sum);
  fprintf(stderr, "%.6f\n", (end.tv_sec - begin.tv_sec) + 1e-9 * (end.tv_nsec - begin.tv_nsec));
  return 0;
}
