/* reg_detect by hand: one parallel region, differences and running sums in one pass; the paths are too little work. */
static void kernel_reg_detect(void)
{
  #pragma omp parallel
  for (int t = 0; t < TSTEPS; t++) {
    #pragma omp for schedule(static, 1)
    for (int j = 0; j < GRID; j++)
      for (int i = j; i < GRID; i++) {
        #pragma omp simd
        for (int p = 0; p < LENGTH; p++)
          diff[j][i][p] = tangent[j][i] / (1.0 + p + t);
        double sum = 0.0;
        for (int p = 0; p < LENGTH; p++) {
          sum += diff[j][i][p];
          running[j][i][p] = sum;
        }
        mean[j][i] = sum / LENGTH;
      }
    #pragma omp single
    {
      for (int i = 0; i < GRID; i++)
        path[0][i] = mean[0][i];
      for (int j = 1; j < GRID; j++)
        for (int i = j; i < GRID; i++)
          path[j][i] = path[j - 1][i - 1] + mean[j][i];
    }
  }
}
