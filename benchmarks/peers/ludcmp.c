/* ludcmp by hand: the decomposition turned round, so that every pivot changes what is right of and below it by rows;
   each cell still loses the same products in the same order. */
static void kernel_ludcmp(double *restrict A, double *restrict b, double *restrict y, double *restrict x)
{
  #pragma omp parallel
  for (int k = 0; k < N; k++) {
    #pragma omp for schedule(static)
    for (int i = k + 1; i < N; i++) {
      double factor = A[i * N + k] / A[k * N + k];
      A[i * N + k] = factor;
      #pragma omp simd
      for (int j = k + 1; j < N; j++)
        A[i * N + j] -= factor * A[k * N + j];
    }
  }
  for (int i = 0; i < N; i++) {
    double w = b[i];
    #pragma omp simd reduction(- : w)
    for (int j = 0; j < i; j++)
      w -= A[i * N + j] * y[j];
    y[i] = w;
  }
  for (int i = N - 1; i >= 0; i--) {
    double w = y[i];
    #pragma omp simd reduction(- : w)
    for (int j = i + 1; j < N; j++)
      w -= A[i * N + j] * x[j];
    x[i] = w / A[i * N + i];
  }
}
