/* trisolv by hand: a row is too little work for threads; its inner product runs in vectors. */
static void kernel_trisolv(void)
{
  for (int i = 0; i < N; i++) {
    double sum = c[i];
    #pragma omp simd reduction(- : sum)
    for (int j = 0; j < i; j++)
      sum -= L[i][j] * x[j];
    x[i] = sum / L[i][i];
  }
}
