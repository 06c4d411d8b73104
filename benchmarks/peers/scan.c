/* scan by hand: every thread adds up its part, then runs through it once more from the sum of the parts before. */
#include <omp.h>

static void kernel_scan(const double *restrict in, double *restrict out)
{
  double part[omp_get_max_threads() + 1];

  part[0] = 0.0;
  #pragma omp parallel
  {
    int id = omp_get_thread_num(), threads = omp_get_num_threads();
    int begin = (int)((long)N * id / threads), end = (int)((long)N * (id + 1) / threads);
    double sum = 0.0;
    #pragma omp simd reduction(+ : sum)
    for (int i = begin; i < end; i++)
      sum += in[i];
    part[id + 1] = sum;
    #pragma omp barrier
    sum = 0.0;
    for (int t = 0; t <= id; t++)
      sum += part[t];
    for (int i = begin; i < end; i++) {
      sum += in[i];
      out[i] = sum;
    }
  }
}
