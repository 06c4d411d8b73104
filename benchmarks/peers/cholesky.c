/* cholesky by hand: the rows below the diagonal in parallel, their inner products in vectors. */
static void kernel_cholesky(void)
{
  for (int i = 0; i < N; i++) {
    double x = A[i][i];
    #pragma omp simd reduction(- : x)
    for (int j = 0; j < i; j++)
      x -= A[i][j] * A[i][j];
    p[i] = 1.0 / sqrt(x);
    #pragma omp parallel for schedule(static)
    for (int j = i + 1; j < N; j++) {
      double y = A[i][j];
      #pragma omp simd reduction(- : y)
      for (int k = 0; k < i; k++)
        y -= A[j][k] * A[i][k];
      A[j][i] = y * p[i];
    }
  }
}
