/* Tiled loops whose last tile is cut by a minimum. */
#include <stdio.h>

#define N 50
#define TILE 16
#define MIN(a, b) ((a) < (b) ? (a) : (b))

static double a[N][N], b[N][N], v[N];

static void tiled_transpose(void)
{
  for (int ii = 0; ii < N; ii += TILE)
    for (int jj = 0; jj < N; jj += TILE)
      for (int i = ii; i < MIN(ii + TILE, N); i++)
        for (int j = jj; j < MIN(jj + TILE, N); j++)
          b[j][i] = a[i][j];
}

static void strip_mined(void)
{
  for (int ii = 0; ii < N; ii += TILE) {
    int end = ii + TILE < N ? ii + TILE : N;
    for (int i = ii; i < end; i++)
      v[i] = 2.0 * v[i] + 1.0;
  }
}

int main(void)
{
  double sum_b = 0.0, sum_v = 0.0;

  for (int i = 0; i < N; i++) {
    v[i] = 0.5 * i;
    for (int j = 0; j < N; j++)
      a[i][j] = i + 0.01 * j * j;
  }
  tiled_transpose();
  strip_mined();
  for (int i = 0; i < N; i++) {
    sum_v += v[i] * (i + 1);
    for (int j = 0; j < N; j++)
      sum_b += b[i][j] * (i * N + j + 1);
  }
  printf("b %.10e\nv %.10e\n", sum_b, sum_v);
  return 0;
}
