/* saxpy by hand: threads and vectors. */
static void kernel_saxpy(int n, float a, const float *x, float *y)
{
  #pragma omp parallel for simd
  for (int i = 0; i < n; i++)
    y[i] = a * x[i] + y[i];
}
