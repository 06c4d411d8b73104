/* durbin by hand: an order is too little work for threads; its two loops run in vectors. */
static void kernel_durbin(void)
{
  double alpha = -r[0];
  double beta = 1.0;

  y[0][0] = -r[0];
  for (int k = 1; k < N; k++) {
    beta = (1.0 - alpha * alpha) * beta;
    double sum = r[k];
    #pragma omp simd reduction(+ : sum)
    for (int i = 0; i < k; i++)
      sum += r[k - i - 1] * y[k - 1][i];
    alpha = -sum / beta;
    #pragma omp simd
    for (int i = 0; i < k; i++)
      y[k][i] = y[k - 1][i] + alpha * y[k - 1][k - i - 1];
    y[k][k] = alpha;
  }
  for (int i = 0; i < N; i++)
    out[i] = y[N - 1][i];
}
