/* symm by hand: rows in parallel; i, k, j gives the vectors unit stride. */
static void kernel_symm(double alpha, double beta)
{
  #pragma omp parallel for
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; j++)
      C[i][j] *= beta;
    for (int k = 0; k < M; k++) {
      double factor = alpha * (k <= i ? A[i][k] : A[k][i]);
      for (int j = 0; j < N; j++)
        C[i][j] += factor * B[k][j];
    }
  }
}
