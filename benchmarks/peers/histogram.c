/* histogram by hand: every thread counts for itself. */
static void kernel_histogram(const unsigned char *restrict pixel)
{
  for (int b = 0; b < BINS; b++)
    count[b] = 0;
  #pragma omp parallel for reduction(+ : count[:BINS])
  for (int i = 0; i < N; i++)
    count[pixel[i]]++;
}
