/* correlation by hand: the columns' sums by rows, and a row of the matrix per iteration, again by rows of the data. */
static void kernel_correlation(void)
{
  for (int j = 0; j < M; j++) {
    mean[j] = 0.0;
    stddev[j] = 0.0;
  }
  #pragma omp parallel
  {
    #pragma omp for reduction(+ : mean[:M])
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++)
        mean[j] += data[i][j];
    #pragma omp for
    for (int j = 0; j < M; j++)
      mean[j] /= N;
    #pragma omp for reduction(+ : stddev[:M])
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++)
        stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    #pragma omp for
    for (int j = 0; j < M; j++) {
      stddev[j] = sqrt(stddev[j] / N);
      stddev[j] = stddev[j] <= 0.1 ? 1.0 : stddev[j];
    }
    #pragma omp for
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++)
        data[i][j] = (data[i][j] - mean[j]) / (sqrt((double)N) * stddev[j]);
    #pragma omp for schedule(dynamic, 8)
    for (int j1 = 0; j1 < M; j1++) {
      symmat[j1][j1] = 1.0;
      for (int j2 = j1 + 1; j2 < M; j2++)
        symmat[j1][j2] = 0.0;
      for (int i = 0; i < N; i++)
        for (int j2 = j1 + 1; j2 < M; j2++)
          symmat[j1][j2] += data[i][j1] * data[i][j2];
      for (int j2 = j1 + 1; j2 < M; j2++)
        symmat[j2][j1] = symmat[j1][j2];
    }
  }
}
