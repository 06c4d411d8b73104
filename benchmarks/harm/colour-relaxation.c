// Nonlinear relaxation on a mesh without a grid: nodes of one colour are updated in the order of a list.
// A third word puts a node twice into the list of its colour.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DEGREE 6
#define COLOURS 8

typedef struct {
  long nodes;
  long *neighbour;  // DEGREE of each node
  long *order;      // nodes by colour
  long first[COLOURS + 1];
} Mesh;

static void relax(const Mesh *mesh, double *u, const double *source) {
  for (int c = 0; c < COLOURS; c++)
    for (long k = mesh->first[c]; k < mesh->first[c + 1]; k++) {
      const long node = mesh->order[k];
      double x = u[node];
      for (int step = 0; step < 6; step++)
        x -= (x + 0.3 * exp(0.1 * x) - source[node]) / (1 + 0.03 * exp(0.1 * x));
      u[node] = x;
    }
}

static double residual(const Mesh *mesh, const double *u, double *next) {
  double sum = 0;
  for (long i = 0; i < mesh->nodes; i++) {
    double mean = 0;
    for (int d = 0; d < DEGREE; d++) mean += u[mesh->neighbour[i * DEGREE + d]];
    next[i] = 0.5 * next[i] + 0.5 * mean / DEGREE;
    sum += fabs(next[i] - u[i]);
  }
  return sum;
}

static Mesh mesh_of(long nodes, int twice) {
  Mesh mesh = {nodes, malloc(nodes * DEGREE * sizeof(long)), malloc(nodes * sizeof(long)), {0}};
  long k = 0;
  for (long i = 0; i < nodes * DEGREE; i++) mesh.neighbour[i] = (i * 7919 + i / DEGREE) % nodes;
  for (int c = 0; c < COLOURS; c++) {
    mesh.first[c] = k;
    for (long i = 0; i < nodes; i++) {
      long node = (i * 4099) % nodes;  // in no order
      if (node % COLOURS == c) mesh.order[k++] = node;
    }
    if (twice && k - mesh.first[c] > 2) mesh.order[k - 1] = mesh.order[mesh.first[c] + 1];
  }
  mesh.first[COLOURS] = k;
  return mesh;
}

int main(int argc, char **argv) {
  long nodes = argc > 1 ? atol(argv[1]) : 60001;
  int times = argc > 2 ? atoi(argv[2]) : 6;
  Mesh mesh = mesh_of(nodes, argc > 3);
  double *u = calloc(nodes, sizeof *u), *source = calloc(nodes, sizeof *source), sum = 0;
  struct timespec from, to;

  for (long i = 0; i < nodes; i++) source[i] = 1 + i % 11 * 0.1;
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (int t = 0; t < times; t++) {
    relax(&mesh, u, source);
    sum += residual(&mesh, u, source);
  }
  clock_gettime(CLOCK_MONOTONIC, &to);
  printf("%.9e %.9e\n", sum, u[nodes / 3]);
  fprintf(stderr, "%.6f\n", (to.tv_sec - from.tv_sec) + 1e-9 * (to.tv_nsec - from.tv_nsec));
  return 0;
}
