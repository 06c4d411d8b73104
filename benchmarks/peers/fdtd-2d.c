/* fdtd-2d by hand: one parallel region, the two electric fields in one pass. */
static void kernel_fdtd_2d(void)
{
  #pragma omp parallel
  for (int t = 0; t < TSTEPS; t++) {
    #pragma omp for
    for (int i = 0; i < NX; i++) {
      if (i == 0) {
        for (int j = 0; j < NY; j++)
          ey[0][j] = source[t];
      } else {
        for (int j = 0; j < NY; j++)
          ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
      }
      for (int j = 1; j < NY; j++)
        ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
    }
    #pragma omp for
    for (int i = 0; i < NX - 1; i++)
      for (int j = 0; j < NY - 1; j++)
        hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}
