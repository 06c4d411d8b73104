/* heat-3d by hand: one parallel region, planes in parallel, lines in vectors. */
static void step(double to[restrict N][N][N], double from[restrict N][N][N])
{
  #pragma omp for collapse(2)
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      #pragma omp simd
      for (int k = 1; k < N - 1; k++)
        to[i][j][k] = from[i][j][k] + 0.125 * (from[i + 1][j][k] - 2.0 * from[i][j][k] + from[i - 1][j][k])
                      + 0.125 * (from[i][j + 1][k] - 2.0 * from[i][j][k] + from[i][j - 1][k])
                      + 0.125 * (from[i][j][k + 1] - 2.0 * from[i][j][k] + from[i][j][k - 1]);
}

static void kernel_heat_3d(void)
{
  #pragma omp parallel
  for (int t = 0; t < TSTEPS; t++) {
    step(B, A);
    step(A, B);
  }
}
