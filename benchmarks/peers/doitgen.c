/* doitgen by hand: every row is multiplied, and put back while it is in the cache. */
static void kernel_doitgen(double *restrict A, double *restrict C4, double *restrict sum)
{
  #pragma omp parallel for
  for (int row = 0; row < NR * NQ; row++) {
    for (int p = 0; p < NP; p++)
      sum[row * NP + p] = 0.0;
    for (int s = 0; s < NP; s++)
      for (int p = 0; p < NP; p++)
        sum[row * NP + p] += A[row * NP + s] * C4[s * NP + p];
    for (int p = 0; p < NP; p++)
      A[row * NP + p] = sum[row * NP + p];
  }
}
