/* mvt by hand: one pass over A for both products; every thread adds up an x2 of its own. */
static void kernel_mvt(int n, double x1[restrict n], double x2[restrict n], double y1[restrict n],
                       double y2[restrict n], double A[restrict n][n])
{
  double *sums = x2;

  #pragma omp parallel for reduction(+ : sums[:n])
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    #pragma omp simd reduction(+ : sum)
    for (int j = 0; j < n; j++) {
      sum += A[i][j] * y1[j];
      sums[j] += A[i][j] * y2[i];
    }
    x1[i] += sum;
  }
}
