/* gemver by hand: A is changed and multiplied from the left in one pass, and from the right in another. */
static void kernel_gemver(double alpha, double beta)
{
  #pragma omp parallel
  {
    #pragma omp for reduction(+ : x[:N])
    for (int i = 0; i < N; i++) {
      double factor = beta * y[i];
      for (int j = 0; j < N; j++) {
        A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
        x[j] += factor * A[i][j];
      }
    }
    #pragma omp for
    for (int i = 0; i < N; i++)
      x[i] = x[i] + z[i];
    #pragma omp for
    for (int i = 0; i < N; i++) {
      double sum = 0.0;
      #pragma omp simd reduction(+ : sum)
      for (int j = 0; j < N; j++)
        sum += A[i][j] * x[j];
      w[i] += alpha * sum;
    }
  }
}
