/* kmeans by hand: points in parallel, which are added to their centre at once; every thread has sums of its own. */
static void kernel_kmeans(void)
{
  for (int k = 0; k < K; k++) {
    members[k] = 0;
    for (int d = 0; d < D; d++)
      total[k][d] = 0.0;
  }
  #pragma omp parallel for reduction(+ : members[:K], total[:K][:D])
  for (int i = 0; i < N; i++) {
    double least = 1e300;
    int best = 0;
    for (int k = 0; k < K; k++) {
      double square = 0.0;
      #pragma omp simd reduction(+ : square)
      for (int d = 0; d < D; d++)
        square += (point[i][d] - centre[k][d]) * (point[i][d] - centre[k][d]);
      if (square < least) {
        least = square;
        best = k;
      }
    }
    nearest[i] = best;
    members[best]++;
    for (int d = 0; d < D; d++)
      total[best][d] += point[i][d];
  }
  for (int k = 0; k < K; k++)
    if (members[k] > 0)
      for (int d = 0; d < D; d++)
        centre[k][d] = total[k][d] / members[k];
}
