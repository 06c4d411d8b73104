/* The bandwidth of the memory: a[i] = b[i] + s * c[i] over three arrays of so many bytes together.

       triad BYTES SECONDS

   prints the best of all sweeps in bytes per second, counted as STREAM does: two arrays read, one written. */
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

int main(int argc, char **argv)
{
  if (argc < 3)
    return 2;
  long n = atol(argv[1]) / (3 * (long)sizeof(double));
  n = n < 64 ? 64 : n;
  double *restrict a = malloc((size_t)n * sizeof(double));
  double *restrict b = malloc((size_t)n * sizeof(double));
  double *restrict c = malloc((size_t)n * sizeof(double));
  if (a == NULL || b == NULL || c == NULL)
    return 1;
  /* small arrays are swept many times per measurement, so that the clock and the barrier do not count */
  long sweeps = n < 1000000 ? 1000000 / n : 1;
  double end = omp_get_wtime() + atof(argv[2]), best = 1e30, scale = 0.5;

  #pragma omp parallel
  {
    #pragma omp for schedule(static)
    for (long i = 0; i < n; i++) {
      a[i] = 0.0;
      b[i] = 1.0 + (double)(i % 7);
      c[i] = 2.0;
    }
  }
  do {
    double start = omp_get_wtime();
    #pragma omp parallel
    for (long s = 0; s < sweeps; s++) {
      #pragma omp for schedule(static) nowait
      for (long i = 0; i < n; i++)
        a[i] = b[i] + scale * c[i];
    }
    double time = (omp_get_wtime() - start) / (double)sweeps;
    best = time < best ? time : best;
    scale += a[n / 2] > 1e6 ? 1.0 : 0.125; /* the next sweep is another one */
  } while (omp_get_wtime() < end);
  printf("%.6e\n", 3.0 * (double)sizeof(double) * (double)n / best);
  free(a);
  free(b);
  free(c);
  return 0;
}
