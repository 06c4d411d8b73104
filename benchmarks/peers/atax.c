/* atax by hand: one pass over A; every thread adds up a y of its own. */
static void kernel_atax(void)
{
  for (int j = 0; j < N; j++)
    y[j] = 0.0;
  #pragma omp parallel for reduction(+ : y[:N])
  for (int i = 0; i < M; i++) {
    double sum = 0.0;
    #pragma omp simd reduction(+ : sum)
    for (int j = 0; j < N; j++)
      sum += A[i][j] * x[j];
    tmp[i] = sum;
    for (int j = 0; j < N; j++)
      y[j] += A[i][j] * sum;
  }
}
