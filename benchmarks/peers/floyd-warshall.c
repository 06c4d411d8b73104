/* floyd-warshall by hand: without negative cycles row k and column k stay as they are in round k, so the rows are
   independent. */
static void kernel_floyd_warshall(void)
{
  for (int k = 0; k < N; k++) {
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
      double first = path[i][k];
      #pragma omp simd
      for (int j = 0; j < N; j++)
        path[i][j] = path[i][j] < first + path[k][j] ? path[i][j] : first + path[k][j];
    }
  }
}
