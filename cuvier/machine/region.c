/* The cost of a parallel region: how long all threads take to start on one that does nothing, and to meet behind it.

       region SECONDS

   prints the best of all rounds in seconds per region. */
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

#define REGIONS 20

int main(int argc, char **argv)
{
  double end = omp_get_wtime() + (argc > 1 ? atof(argv[1]) : 0.2), best = 1e30;
  volatile int seen = 0;

  do {
    double start = omp_get_wtime();
    for (int k = 0; k < REGIONS; k++) {
      #pragma omp parallel
      if (omp_get_thread_num() == omp_get_num_threads())
        seen = 1; /* never: but the compiler does not know */
    }
    double time = (omp_get_wtime() - start) / REGIONS;
    best = time < best ? time : best;
  } while (omp_get_wtime() < end);
  printf("%.6e\n", best + seen);
  return 0;
}
