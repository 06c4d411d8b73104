/* 3mm by hand: the first two products by rows without waiting for each other, then the third. */
static void kernel_3mm(double a[restrict NI][NK], double b[restrict NK][NJ], double c[restrict NJ][NM],
                       double d[restrict NM][NL], double e[restrict NI][NJ], double f[restrict NJ][NL],
                       double g[restrict NI][NL])
{
  #pragma omp parallel
  {
    #pragma omp for nowait
    for (int i = 0; i < NI; i++) {
      for (int j = 0; j < NJ; j++)
        e[i][j] = 0.0;
      for (int k = 0; k < NK; k++)
        for (int j = 0; j < NJ; j++)
          e[i][j] += a[i][k] * b[k][j];
    }
    #pragma omp for
    for (int i = 0; i < NJ; i++) {
      for (int j = 0; j < NL; j++)
        f[i][j] = 0.0;
      for (int k = 0; k < NM; k++)
        for (int j = 0; j < NL; j++)
          f[i][j] += c[i][k] * d[k][j];
    }
    #pragma omp for
    for (int i = 0; i < NI; i++) {
      for (int j = 0; j < NL; j++)
        g[i][j] = 0.0;
      for (int k = 0; k < NJ; k++)
        for (int j = 0; j < NL; j++)
          g[i][j] += e[i][k] * f[k][j];
    }
  }
}
