/* covariance by hand: the columns' sums by rows, and a row of the matrix per iteration, again by rows of the data. */
static void kernel_covariance(double data[const restrict static N][M], double symmat[const restrict static M][M],
                              double mean[const restrict static M])
{
  double *sum = mean;

  for (int j = 0; j < M; j++)
    sum[j] = 0.0;
  #pragma omp parallel for reduction(+ : sum[:M])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      sum[j] += data[i][j];
  for (int j = 0; j < M; j++)
    mean[j] /= N;
  #pragma omp parallel for
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      data[i][j] -= mean[j];
  #pragma omp parallel for schedule(dynamic, 8)
  for (int j1 = 0; j1 < M; j1++) {
    for (int j2 = j1; j2 < M; j2++)
      symmat[j1][j2] = 0.0;
    for (int i = 0; i < N; i++)
      for (int j2 = j1; j2 < M; j2++)
        symmat[j1][j2] += data[i][j1] * data[i][j2];
    for (int j2 = j1; j2 < M; j2++)
      symmat[j2][j1] = symmat[j1][j2];
  }
}
