/* floyd-warshall: the lengths of the shortest paths between all pairs of nodes of a weighted graph. */
#include <stdio.h>

#ifndef N
#define N 64
#endif

double path[N][N];

static void init_arrays(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      path[i][j] = i == j ? 0.0 : 1.0 + (double)((i * 17 + j * 29) % 101) + 0.001 * (i * N + j);
}

static void kernel_floyd_warshall(void)
{
  /* after round k, paths may go through the nodes 0..k; row k and column k are read while they are written */
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
}

int main(void)
{
  init_arrays();
  kernel_floyd_warshall();

  double sum = 0.0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += path[i][j] * (double)((i * N + j) % 17 + 1);
  printf("path %.10e\n", sum);
  return 0;
}
