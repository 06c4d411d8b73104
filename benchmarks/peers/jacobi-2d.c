/* jacobi-2d by hand: one parallel region for all time steps, and the arrays change places instead of being copied.
   Both then need the border; after an odd number of steps the result is moved to A. */
static void kernel_jacobi_2d(double *restrict A, double *restrict B)
{
  for (int i = 0; i < N; i++) {
    B[i] = A[i];
    B[(N - 1) * N + i] = A[(N - 1) * N + i];
    B[i * N] = A[i * N];
    B[i * N + N - 1] = A[i * N + N - 1];
  }
  #pragma omp parallel
  {
    double *from = A, *to = B;
    for (int t = 0; t < TSTEPS; t++) {
      #pragma omp for
      for (int i = 1; i < N - 1; i++)
        #pragma omp simd
        for (int j = 1; j < N - 1; j++)
          to[i * N + j] = 0.2 * (from[i * N + j] + from[i * N + j - 1] + from[i * N + j + 1]
                                 + from[(i - 1) * N + j] + from[(i + 1) * N + j]);
      double *other = from;
      from = to;
      to = other;
    }
    if (from == B) {
      #pragma omp for
      for (int i = 0; i < N * N; i++)
        A[i] = B[i];
    }
  }
}
