/* convolution-2d by hand: rows in parallel, pixels in vectors. */
static void kernel_convolution_2d(void)
{
  #pragma omp parallel for
  for (int y = 0; y < H; y++)
    #pragma omp simd
    for (int x = 0; x < W; x++) {
      float sum = 0.0f;
      for (int v = 0; v < SIDE; v++)
        for (int u = 0; u < SIDE; u++)
          sum += mask[v][u] * in[y + v][x + u];
      out[y][x] = sum;
    }
}
