/* adi by hand: one parallel region.  A row is solved there and back while it is in the cache.  Along the columns the
   schedule gives a thread the same columns in every row, so no thread waits until all are through. */
static void kernel_adi(double a, double b)
{
  #pragma omp parallel
  for (int t = 0; t < TSTEPS; t++) {
    #pragma omp for schedule(static)
    for (int i = 0; i < N; i++) {
      C[i][0] = a / b;
      X[i][0] = X[i][0] / b;
      for (int j = 1; j < N; j++) {
        double pivot = b - a * C[i][j - 1];
        C[i][j] = a / pivot;
        X[i][j] = (X[i][j] - a * X[i][j - 1]) / pivot;
      }
      for (int j = N - 2; j >= 0; j--)
        X[i][j] = X[i][j] - C[i][j] * X[i][j + 1];
    }

    #pragma omp for simd schedule(static) nowait
    for (int j = 0; j < N; j++) {
      C[0][j] = a / b;
      X[0][j] = X[0][j] / b;
    }
    for (int i = 1; i < N; i++) {
      #pragma omp for simd schedule(static) nowait
      for (int j = 0; j < N; j++) {
        double pivot = b - a * C[i - 1][j];
        C[i][j] = a / pivot;
        X[i][j] = (X[i][j] - a * X[i - 1][j]) / pivot;
      }
    }
    for (int i = N - 2; i >= 0; i--) {
      #pragma omp for simd schedule(static) nowait
      for (int j = 0; j < N; j++)
        X[i][j] = X[i][j] - C[i][j] * X[i + 1][j];
    }
    #pragma omp barrier
  }
}
