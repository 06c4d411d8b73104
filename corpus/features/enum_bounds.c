/* Enumeration constants as sizes, bounds and offsets. */
#include <stdio.h>

enum { WIDTH = 30, HEIGHT = 20, BORDER = 2 };
enum channel { RED, GREEN, BLUE, CHANNELS };

static int image[HEIGHT][WIDTH][CHANNELS];
static int grey[HEIGHT][WIDTH];

static void fill(void)
{
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      for (int c = RED; c < CHANNELS; c++)
        image[y][x][c] = (y * 31 + x * 17 + c * 7) % 256;
}

static void to_grey(void)
{
  for (int y = BORDER; y < HEIGHT - BORDER; y++)
    for (int x = BORDER; x < WIDTH - BORDER; x++)
      grey[y][x] = (3 * image[y][x][RED] + 6 * image[y][x][GREEN] + image[y][x][BLUE]) / 10;
}

int main(void)
{
  int sum = 0;

  fill();
  to_grey();
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      sum += grey[y][x] * ((y * WIDTH + x) % 17 + 1);
  printf("grey %d\n", sum);
  return 0;
}
