/* gesummv by hand: rows in parallel, their two inner products in vectors. */
static void kernel_gesummv(int n, double alpha, double beta, double A[n][n], double B[n][n], double tmp[n],
                           double x[n], double y[n])
{
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double with_a = 0.0, with_b = 0.0;
    #pragma omp simd reduction(+ : with_a, with_b)
    for (int j = 0; j < n; j++) {
      with_a += A[i][j] * x[j];
      with_b += B[i][j] * x[j];
    }
    tmp[i] = with_a;
    y[i] = alpha * with_a + beta * with_b;
  }
}
