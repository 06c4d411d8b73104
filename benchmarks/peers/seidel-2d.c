/* seidel-2d by hand: the steps in time follow each other as in a pipeline: a row waits for the row above it, and for the
   row below it one step earlier. */
static void kernel_seidel_2d(void)
{
  #pragma omp parallel for ordered(2) schedule(static, 1)
  for (int t = 0; t < TSTEPS; t++)
    for (int i = 1; i < N - 1; i++) {
      #pragma omp ordered depend(sink : t, i - 1) depend(sink : t - 1, i + 1)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1]
                   + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9.0;
      #pragma omp ordered depend(source)
    }
}
