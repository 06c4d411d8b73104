/* spmv: y := A * x with a sparse matrix in compressed rows; the rows have between 1 and WIDTH entries. */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 600
#endif
#ifndef WIDTH
#define WIDTH 15
#endif

static int first[N + 1];
static double x[N], y[N];

static void kernel_spmv(const int *restrict column, const double *restrict value)
{
  for (int i = 0; i < N; i++) {
    double sum = 0.0;
    for (int e = first[i]; e < first[i + 1]; e++)
      sum += value[e] * x[column[e]];
    y[i] = sum;
  }
}

int main(void)
{
  int *column = malloc(sizeof(int) * N * WIDTH);
  double *value = malloc(sizeof(double) * N * WIDTH);
  unsigned seed = 2025u;
  if (column == NULL || value == NULL)
    return 1;

  first[0] = 0;
  for (int i = 0; i < N; i++) {
    x[i] = 1.0 + (double)(i % 13) / 13.0;
    y[i] = 0.0;
    seed = seed * 1664525u + 1013904223u;
    first[i + 1] = first[i] + 1 + (int)((seed >> 16) % WIDTH);
    /* half of the entries near the diagonal, half anywhere */
    for (int e = first[i]; e < first[i + 1]; e++) {
      seed = seed * 1664525u + 1013904223u;
      column[e] = seed >> 31 ? (int)((seed >> 4) % N) : (i + (int)(seed >> 16 & 63u)) % N;
      value[e] = (double)(seed >> 8) / 16777216.0;
    }
  }
  kernel_spmv(column, value);

  double sum = 0.0;
  for (int i = 0; i < N; i++)
    sum += y[i] * (double)(i % 17 + 1);
  printf("y %.10e\n", sum);
  free(column);
  free(value);
  return 0;
}
