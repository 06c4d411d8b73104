/* Prints how many threads a parallel region has, and the version of OpenMP as a date. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
  int threads = 0;
  #pragma omp parallel reduction(+ : threads)
  threads += omp_get_thread_num() >= 0;
  printf("%d %d\n", threads, _OPENMP);
  return 0;
}
