/* The peak of the vector units: multiply-adds in registers, -DREAL=float or double.

       fma SECONDS

   prints the best of all rounds in operations per second of all threads together. */
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

#ifndef REAL
#define REAL double
#endif
#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif
#define LANES (BYTES / (int)sizeof(REAL))
#define CHAINS 12 /* independent sums, more than latency times issue width */
#define STEPS 200000

typedef REAL vector __attribute__((vector_size(BYTES)));

static double round_of_sums(REAL seed)
{
  vector factor = (vector){0} + (REAL)0.999 * seed, term = (vector){0} + (REAL)0.001, sum[CHAINS];

  for (int c = 0; c < CHAINS; c++)
    sum[c] = (vector){0} + seed + (REAL)c;
  for (int s = 0; s < STEPS; s++) {
#pragma GCC unroll 12
    for (int c = 0; c < CHAINS; c++)
      sum[c] = sum[c] * factor + term;
  }
  for (int c = 1; c < CHAINS; c++)
    sum[0] += sum[c];
  return (double)sum[0][0];
}

int main(int argc, char **argv)
{
  double end = omp_get_wtime() + (argc > 1 ? atof(argv[1]) : 0.2), best = 1e30, total = 0.0;
  REAL seed = argc > 2 ? (REAL)atof(argv[2]) : (REAL)1.0;

  do {
    double start = omp_get_wtime();
    #pragma omp parallel reduction(+:total)
    total += round_of_sums(seed);
    double time = omp_get_wtime() - start;
    best = time < best ? time : best;
  } while (omp_get_wtime() < end);
  double operations = 2.0 * STEPS * CHAINS * LANES * omp_get_max_threads();
  printf("%.6e\n", total == 0.0 ? 0.0 : operations / best);
  return 0;
}
