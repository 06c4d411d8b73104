/* The peak of the vector units: multiply-adds in registers, -DREAL=float or double.

       fma SECONDS

   prints operations per second: every thread's best round, added up. */
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
#define STEPS 20000 /* a millisecond: some rounds are not interrupted */

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
  double seconds = argc > 1 ? atof(argv[1]) : 0.2, total = 0.0, rate = 0.0;
  REAL seed = argc > 2 ? (REAL)atof(argv[2]) : (REAL)1.0;

  /* all threads at once, but none waits for another: somebody else's process does not count */
  #pragma omp parallel reduction(+:total, rate)
  {
    double end = omp_get_wtime() + seconds, best = 1e30;
    do {
      double start = omp_get_wtime();
      total += round_of_sums(seed);
      double time = omp_get_wtime() - start;
      best = time < best ? time : best;
    } while (omp_get_wtime() < end);
    rate += 2.0 * STEPS * CHAINS * LANES / best;
  }
  printf("%.6e\n", total == 0.0 ? 0.0 : rate);
  return 0;
}
