/* smooth-2d by hand: one parallel region for all steps, and the images change places instead of being copied.  Both then
   need the border; after an odd number of steps the result is moved to `image`. */
static void kernel_smooth_2d(void)
{
  for (int x = 0; x < W; x++) {
    next[0][x] = image[0][x];
    next[H - 1][x] = image[H - 1][x];
  }
  for (int y = 0; y < H; y++) {
    next[y][0] = image[y][0];
    next[y][W - 1] = image[y][W - 1];
  }
  #pragma omp parallel
  {
    float (*from)[W] = image, (*to)[W] = next;
    for (int t = 0; t < TSTEPS; t++) {
      #pragma omp for
      for (int y = 1; y < H - 1; y++)
        #pragma omp simd
        for (int x = 1; x < W - 1; x++)
          to[y][x] = 0.0625f * (from[y - 1][x - 1] + from[y - 1][x + 1] + from[y + 1][x - 1] + from[y + 1][x + 1])
                     + 0.125f * (from[y - 1][x] + from[y + 1][x] + from[y][x - 1] + from[y][x + 1])
                     + 0.25f * from[y][x];
      float (*other)[W] = from;
      from = to;
      to = other;
    }
    if (from == next) {
      #pragma omp for
      for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
          image[y][x] = next[y][x];
    }
  }
}
