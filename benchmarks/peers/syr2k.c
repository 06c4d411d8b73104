/* syr2k by hand: rows in parallel, inner products in vectors. */
static void kernel_syr2k(int n, int m, double alpha, double beta, double A[restrict n][m],
                         double B[restrict n][m], double C[restrict n][n])
{
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0.0;
      #pragma omp simd reduction(+ : sum)
      for (int k = 0; k < m; k++)
        sum += A[i][k] * B[j][k] + B[i][k] * A[j][k];
      C[i][j] = beta * C[i][j] + alpha * sum;
    }
}
