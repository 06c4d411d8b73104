/* syrk by hand: rows in parallel, inner products in vectors. */
static void kernel_syrk(double alpha, double beta, double A[restrict N][M], double C[restrict N][N])
{
  #pragma omp parallel for
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0.0;
      #pragma omp simd reduction(+ : sum)
      for (int k = 0; k < M; k++)
        sum += A[i][k] * A[j][k];
      C[i][j] = beta * C[i][j] + alpha * sum;
    }
}
