/* dot by hand: threads and vectors. */
static void kernel_dot(void)
{
  double sum = 0.0;

  #pragma omp parallel for simd reduction(+ : sum)
  for (int i = 0; i < N; i++)
    sum += x[i] * y[i];
  product = sum;
}
