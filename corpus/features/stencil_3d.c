/* A 3-D stencil of seven points, for a few steps in time, with two arrays that change places by copying. */
#include <stdio.h>

#define N 20
#define STEPS 4

static double u[N][N][N], v[N][N][N];

static void heat(void)
{
  for (int t = 0; t < STEPS; t++) {
    for (int z = 1; z < N - 1; z++)
      for (int y = 1; y < N - 1; y++)
        for (int x = 1; x < N - 1; x++)
          v[z][y][x] = u[z][y][x] + 0.1 * (u[z - 1][y][x] + u[z + 1][y][x] + u[z][y - 1][x] + u[z][y + 1][x]
                                           + u[z][y][x - 1] + u[z][y][x + 1] - 6.0 * u[z][y][x]);
    for (int z = 1; z < N - 1; z++)
      for (int y = 1; y < N - 1; y++)
        for (int x = 1; x < N - 1; x++)
          u[z][y][x] = v[z][y][x];
  }
}

int main(void)
{
  double sum = 0.0;

  for (int z = 0; z < N; z++)
    for (int y = 0; y < N; y++)
      for (int x = 0; x < N; x++)
        u[z][y][x] = (double)((z * 7 + y * 11 + x * 13) % 37) + 0.001 * (z * N * N + y * N + x);
  heat();
  for (int z = 0; z < N; z++)
    for (int y = 0; y < N; y++)
      for (int x = 0; x < N; x++)
        sum += u[z][y][x] * ((z * N * N + y * N + x) % 17 + 1);
  printf("u %.10e\n", sum);
  return 0;
}
