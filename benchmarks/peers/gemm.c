/* gemm by hand: rows in parallel; i, k, j gives the vectors unit stride. */
static void kernel_gemm(double alpha, double beta)
{
  #pragma omp parallel for
  for (int i = 0; i < NI; i++) {
    for (int j = 0; j < NJ; j++)
      C[i][j] *= beta;
    for (int k = 0; k < NK; k++)
      for (int j = 0; j < NJ; j++)
        C[i][j] += alpha * A[i][k] * B[k][j];
  }
}
