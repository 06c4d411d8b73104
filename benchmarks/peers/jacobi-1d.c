/* jacobi-1d by hand: a step is too little work for threads; the arrays change places instead of being copied. */
static void kernel_jacobi_1d(void)
{
  double *from = A, *to = B;

  B[0] = A[0];
  B[N - 1] = A[N - 1];
  for (int t = 0; t < TSTEPS; t++) {
    #pragma omp simd
    for (int i = 1; i < N - 1; i++)
      to[i] = 0.33333 * (from[i - 1] + from[i] + from[i + 1]);
    double *other = from;
    from = to;
    to = other;
  }
  if (from == B)
    for (int i = 0; i < N; i++)
      A[i] = B[i];
}
