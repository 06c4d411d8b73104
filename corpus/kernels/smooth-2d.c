/* smooth-2d: repeated binomial smoothing of an image in single precision, over a cell and its eight neighbours;
   the two images are copied, not exchanged. */
#include <stdio.h>

#ifndef TSTEPS
#define TSTEPS 8
#endif
#ifndef H
#define H 60
#endif
#ifndef W
#define W 76
#endif

static float image[H][W];
static float next[H][W];

static void init_arrays(void)
{
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      image[y][x] = (float)((y * 13 + x * 7) % 256) + 50.0f * y / H + 90.0f * x / W;
      next[y][x] = 0.0f;
    }
}

static void kernel_smooth_2d(void)
{
  for (int t = 0; t < TSTEPS; t++) {
    for (int y = 1; y < H - 1; y++)
      for (int x = 1; x < W - 1; x++)
        next[y][x] = 0.0625f * (image[y - 1][x - 1] + image[y - 1][x + 1] + image[y + 1][x - 1] + image[y + 1][x + 1])
                     + 0.125f * (image[y - 1][x] + image[y + 1][x] + image[y][x - 1] + image[y][x + 1])
                     + 0.25f * image[y][x];
    for (int y = 1; y < H - 1; y++)
      for (int x = 1; x < W - 1; x++)
        image[y][x] = next[y][x];
  }
}

int main(void)
{
  init_arrays();
  kernel_smooth_2d();

  double sum = 0.0;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      sum += (double)image[y][x] * (double)((y * 3 + x) % 17 + 1);
  printf("image %.6e\n", sum);
  return 0;
}
