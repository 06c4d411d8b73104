/* lu by hand: one parallel region; a round's rows in parallel, each in vectors. */
static void kernel_lu(void)
{
  #pragma omp parallel
  for (int k = 0; k < N; k++) {
    #pragma omp single
    for (int j = k + 1; j < N; j++)
      A[k][j] = A[k][j] / A[k][k];
    #pragma omp for schedule(static)
    for (int i = k + 1; i < N; i++) {
      double factor = A[i][k];
      #pragma omp simd
      for (int j = k + 1; j < N; j++)
        A[i][j] -= factor * A[k][j];
    }
  }
}
