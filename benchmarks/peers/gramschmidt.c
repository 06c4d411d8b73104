/* gramschmidt by hand: every thread has a range of the later columns, and goes through it by rows. */
#include <omp.h>

static void kernel_gramschmidt(void)
{
  double norm = 0.0;

  #pragma omp parallel
  for (int k = 0; k < N; k++) {
    #pragma omp single
    {
      norm = 0.0;
      for (int i = 0; i < M; i++)
        norm += A[i][k] * A[i][k];
      R[k][k] = sqrt(norm);
      for (int i = 0; i < M; i++)
        Q[i][k] = A[i][k] / R[k][k];
    }
    int share = (N - k - 1 + omp_get_num_threads() - 1) / omp_get_num_threads();
    int begin = k + 1 + share * omp_get_thread_num(), end = begin + share < N ? begin + share : N;
    for (int j = begin; j < end; j++)
      R[k][j] = 0.0;
    for (int i = 0; i < M; i++)
      for (int j = begin; j < end; j++)
        R[k][j] += Q[i][k] * A[i][j];
    for (int i = 0; i < M; i++)
      for (int j = begin; j < end; j++)
        A[i][j] -= Q[i][k] * R[k][j];
    #pragma omp barrier
  }
}
