/* A 2-D convolution with nine weights, the weights also in an array of their own. */
#include <stdio.h>

#define H 48
#define W 56

static double image[H][W], blurred[H][W], edges[H][W];
static const double weight[3][3] = {{0.05, 0.1, 0.05}, {0.1, 0.4, 0.1}, {0.05, 0.1, 0.05}};

static void unrolled(void)
{
  for (int y = 1; y < H - 1; y++)
    for (int x = 1; x < W - 1; x++)
      edges[y][x] = 4.0 * image[y][x] - image[y - 1][x] - image[y + 1][x] - image[y][x - 1] - image[y][x + 1];
}

static void weighted(void)
{
  for (int y = 1; y < H - 1; y++)
    for (int x = 1; x < W - 1; x++) {
      double sum = 0.0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          sum += weight[dy + 1][dx + 1] * image[y + dy][x + dx];
      blurred[y][x] = sum;
    }
}

int main(void)
{
  double sum_e = 0.0, sum_b = 0.0;

  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      image[y][x] = (double)((y * 31 + x * 17) % 113) + 0.001 * (y * W + x);
  unrolled();
  weighted();
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      sum_e += edges[y][x] * ((y * W + x) % 17 + 1);
      sum_b += blurred[y][x] * ((y * W + x) % 17 + 1);
    }
  printf("edges %.10e\nblurred %.10e\n", sum_e, sum_b);
  return 0;
}
