/* Particles sorted into cells, with a list of who lies where: forces between those of a cell move each of them.
   A third word puts a particle into two cells. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int *begin, *finish, cells;          /* particles of a cell, in the sorted order */
static double *px, *py, *vx, *vy;           /* in the sorted order */

static void cell_step (double dt)
{
  int c, a, b;
  for (c = 0; c < cells; c++)
    {
      for (a = begin[c]; a < finish[c]; a++)
        {
          double fx = 0, fy = 0;
          for (b = begin[c]; b < finish[c]; b++)
            {
              double dx = px[a] - px[b], dy = py[a] - py[b], r = dx * dx + dy * dy + 0.01;
              double w = 1 / (r * sqrt (r));
              fx += dx * w;
              fy += dy * w;
            }
          vx[a] += fx * dt;
          vy[a] += fy * dt;
        }
      for (a = begin[c]; a < finish[c]; a++)
        {
          px[a] += vx[a] * dt;
          py[a] += vy[a] * dt;
        }
    }
}

int main (int argc, char **argv)
{
  int i, c, n = 0, times = argc > 2 ? atoi (argv[2]) : 8;
  double sum = 0;
  struct timespec from, to;

  cells = argc > 1 ? atoi (argv[1]) : 3000;
  begin = malloc (cells * sizeof (int));
  finish = malloc (cells * sizeof (int));
  for (c = 0; c < cells; c++)
    {
      begin[c] = n;
      n += 4 + c * 11 % 40;
      finish[c] = n;
    }
  if (argc > 3)
    for (c = 3; c + 1 < cells; c += 40)
      finish[c] += 2;
  px = malloc (n * sizeof (double));
  py = malloc (n * sizeof (double));
  vx = calloc (n, sizeof (double));
  vy = calloc (n, sizeof (double));
  for (i = 0; i < n; i++)
    {
      px[i] = i % 101 * 0.37;
      py[i] = i % 57 * 0.71;
    }
  clock_gettime (CLOCK_MONOTONIC, &from);
  for (i = 0; i < times; i++)
    cell_step (1e-4);
  clock_gettime (CLOCK_MONOTONIC, &to);
  for (i = 0; i < n; i++)
    sum += px[i] * (i % 3) + vy[i];
  printf ("%.8e\n", sum);
  fprintf (stderr, "%.6f\n", (to.tv_sec - from.tv_sec) + 1e-9 * (to.tv_nsec - from.tv_nsec));
  return 0;
}
