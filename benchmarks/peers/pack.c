/* pack by hand: every thread counts what it keeps, and then writes behind what the threads before it keep.  Each element
   is written and counted or not, without a branch on the data; there is room as long as one is still to come. */
#include <omp.h>

static void kernel_pack(double threshold, const double *restrict in, double *restrict out)
{
  int part[omp_get_max_threads() + 1];

  part[0] = 0;
  #pragma omp parallel
  {
    int id = omp_get_thread_num(), threads = omp_get_num_threads();
    int begin = (int)((long)N * id / threads), end = (int)((long)N * (id + 1) / threads), n = 0;
    #pragma omp simd reduction(+ : n)
    for (int i = begin; i < end; i++)
      n += in[i] > threshold;
    part[id + 1] = n;
    #pragma omp barrier
    n = 0;
    for (int t = 0; t <= id; t++)
      n += part[t];
    int room = n + part[id + 1];
    for (int i = begin; n < room; i++) {
      out[n] = in[i];
      n += in[i] > threshold;
    }
    #pragma omp master
    {
      kept = 0;
      for (int t = 0; t <= threads; t++)
        kept += part[t];
    }
  }
}
