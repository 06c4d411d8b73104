/* spmv by hand: rows in parallel, a row's inner product in vectors. */
static void kernel_spmv(const int *restrict column, const double *restrict value)
{
  #pragma omp parallel for
  for (int i = 0; i < N; i++) {
    double sum = 0.0;
    #pragma omp simd reduction(+ : sum)
    for (int e = first[i]; e < first[i + 1]; e++)
      sum += value[e] * x[column[e]];
    y[i] = sum;
  }
}
