/* bicg by hand: one pass over A for both products; every thread adds up an s of its own. */
static void kernel_bicg(double A[const restrict static N][M], double r[const restrict static N],
                        double p[const restrict static M], double s[const restrict static M],
                        double q[const restrict static N])
{
  double *sum = s;

  for (int j = 0; j < M; j++)
    sum[j] = 0.0;
  #pragma omp parallel for reduction(+ : sum[:M])
  for (int i = 0; i < N; i++) {
    double product = 0.0;
    #pragma omp simd reduction(+ : product)
    for (int j = 0; j < M; j++) {
      product += A[i][j] * p[j];
      sum[j] += A[i][j] * r[i];
    }
    q[i] = product;
  }
}
