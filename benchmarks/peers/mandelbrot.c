/* mandelbrot by hand: rows in parallel, handed out one by one since their work differs. */
static void kernel_mandelbrot(void)
{
  #pragma omp parallel for schedule(dynamic)
  for (int py = 0; py < H; py++)
    for (int px = 0; px < W; px++) {
      double cx = -2.2 + 3.2 * px / W, cy = -1.2 + 2.4 * py / H;
      double x = 0.0, y = 0.0, xx = 0.0, yy = 0.0;
      int step = 0;
      while (step < STEPS && xx + yy <= 4.0) {
        y = 2.0 * x * y + cy;
        x = xx - yy + cx;
        xx = x * x;
        yy = y * y;
        step++;
      }
      steps[py][px] = step;
    }
}
