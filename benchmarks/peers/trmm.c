/* trmm by hand: every thread has a range of the columns, so nobody waits; i, k, j gives the vectors unit stride. */
#include <omp.h>

static void kernel_trmm(double alpha, double a[restrict M][M], double b[restrict M][N])
{
  #pragma omp parallel
  {
    int share = (N + omp_get_num_threads() - 1) / omp_get_num_threads();
    int begin = share * omp_get_thread_num(), end = begin + share < N ? begin + share : N;
    for (int i = 0; i < M; i++) {
      for (int k = i + 1; k < M; k++)
        for (int j = begin; j < end; j++)
          b[i][j] += a[i][k] * b[k][j];
      for (int j = begin; j < end; j++)
        b[i][j] = alpha * b[i][j];
    }
  }
}
