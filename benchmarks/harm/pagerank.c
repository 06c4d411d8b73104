/* Ranks of the pages of a random graph, by power iteration until they settle. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct _graph
{
  int nodes;
  int edges;
  int *offset;      /* into source, by target */
  int *source;
  int *degree;      /* edges that leave a node */
} graph_t;

static unsigned next_random (unsigned *seed)
{
  *seed = *seed * 1103515245u + 12345u;
  return *seed >> 9;
}

static graph_t *graph_create (int nodes)
{
  graph_t *g = malloc (sizeof (graph_t));
  unsigned seed = 2024;
  int i, e = 0;

  g->nodes = nodes;
  g->offset = malloc ((nodes + 1) * sizeof (int));
  g->source = malloc (nodes * 16 * sizeof (int));
  g->degree = calloc (nodes, sizeof (int));
  for (i = 0; i < nodes; i++)
    {
      int incoming = 1 + next_random (&seed) % 15;

      g->offset[i] = e;
      while (incoming--)
        {
          int from = next_random (&seed) % nodes;

          g->source[e++] = from;
          g->degree[from]++;
        }
    }
  g->offset[nodes] = g->edges = e;
  return g;
}

static double rank_step (const graph_t *g, const double *old, double *new, double *share)
{
  double dangling = 0.0, change = 0.0;
  const double damping = 0.85;
  int i, e;

  for (i = 0; i < g->nodes; i++)
    {
      if (g->degree[i] == 0)
        {
          dangling += old[i];
          share[i] = 0.0;
        }
      else
        share[i] = old[i] / g->degree[i];
    }
  for (i = 0; i < g->nodes; i++)
    {
      double sum = 0.0;

      for (e = g->offset[i]; e < g->offset[i + 1]; e++)
        sum += share[g->source[e]];
      new[i] = (1.0 - damping) / g->nodes + damping * (sum + dangling / g->nodes);
      change += fabs (new[i] - old[i]);
    }
  return change;
}

int main (int argc, char **argv)
{
  graph_t *g = graph_create (argc > 1 ? atoi (argv[1]) : 60000);
  int limit = argc > 2 ? atoi (argv[2]) : 130, steps = 0, i;
  double *old = malloc (g->nodes * sizeof (double)), *new = malloc (g->nodes * sizeof (double));
  double *share = malloc (g->nodes * sizeof (double)), delta = 1.0, check = 0.0, *t;
  struct timespec start, end;

  for (i = 0; i < g->nodes; i++)
    old[i] = 1.0 / g->nodes;
  clock_gettime (CLOCK_MONOTONIC, &start);
  while (steps < limit && delta > 0.0)
    {
      delta = rank_step (g, old, new, share);
      t = old;
      old = new;
      new = t;
      steps++;
      if (steps % 40 == 0)
        old[steps % g->nodes] += 0.01;
    }
  clock_gettime (CLOCK_MONOTONIC, &end);
  for (i = 0; i < g->nodes; i++)
    check += old[i] * (1 + i % 13);
  printf ("%.9f\n", check);
  fprintf (stderr, "%.6f\n", (end.tv_sec - start.tv_sec) + 1e-9 * (end.tv_nsec - start.tv_nsec));
  return 0;
}
