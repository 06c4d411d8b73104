/* argmin by hand: every thread looks through its part; of equal elements the first one counts. */
static void kernel_argmin(const double *restrict a)
{
  least = a[0];
  place = 0;
  #pragma omp parallel
  {
    double best = a[0];
    int where = 0;
    #pragma omp for schedule(static) nowait
    for (int i = 1; i < N; i++)
      if (a[i] < best) {
        best = a[i];
        where = i;
      }
    #pragma omp critical
    if (best < least || (best == least && where < place)) {
      least = best;
      place = where;
    }
  }
}
