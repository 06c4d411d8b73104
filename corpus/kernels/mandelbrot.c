/* mandelbrot: after how many steps z := z^2 + c leaves the circle of radius 2, for every pixel c. */
#include <stdio.h>

#ifndef H
#define H 48
#endif
#ifndef W
#define W 64
#endif
#ifndef STEPS
#define STEPS 100
#endif

static int steps[H][W];

static void kernel_mandelbrot(void)
{
  for (int py = 0; py < H; py++)
    for (int px = 0; px < W; px++) {
      double cx = -2.2 + 3.2 * px / W, cy = -1.2 + 2.4 * py / H;
      double x = 0.0, y = 0.0;
      int step = 0;
      /* pixels differ much in their work */
      while (step < STEPS && x * x + y * y <= 4.0) {
        double t = x * x - y * y + cx;
        y = 2.0 * x * y + cy;
        x = t;
        step++;
      }
      steps[py][px] = step;
    }
}

int main(void)
{
  kernel_mandelbrot();

  double sum = 0.0;
  for (int py = 0; py < H; py++)
    for (int px = 0; px < W; px++)
      sum += (double)steps[py][px] * (double)((py * 3 + px) % 17 + 1);
  printf("steps %.10e\n", sum);
  return 0;
}
