/* convolution-2d: an image filtered with a mask of five by five weights, in single precision. */
#include <stdio.h>

#ifndef H
#define H 64
#endif
#ifndef W
#define W 80
#endif
#define SIDE 5

static float in[H + SIDE - 1][W + SIDE - 1];
static float mask[SIDE][SIDE];
static float out[H][W];

static void init_arrays(void)
{
  for (int y = 0; y < H + SIDE - 1; y++)
    for (int x = 0; x < W + SIDE - 1; x++)
      in[y][x] = (float)((y * 31 + x * 17) % 256) / 256.0f;
  for (int v = 0; v < SIDE; v++)
    for (int u = 0; u < SIDE; u++)
      mask[v][u] = (float)(1 + v + 2 * u) / 75.0f;
}

static void kernel_convolution_2d(void)
{
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      float sum = 0.0f;
      for (int v = 0; v < SIDE; v++)
        for (int u = 0; u < SIDE; u++)
          sum += mask[v][u] * in[y + v][x + u];
      out[y][x] = sum;
    }
}

int main(void)
{
  init_arrays();
  kernel_convolution_2d();

  double sum = 0.0;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      sum += (double)out[y][x] * (double)((y * 3 + x) % 17 + 1);
  printf("out %.6e\n", sum);
  return 0;
}
