/* stencil-1d by hand: threads and vectors. */
static void kernel_stencil_1d(const double *restrict in, double *restrict out)
{
  #pragma omp parallel for simd
  for (int i = RADIUS; i < N - RADIUS; i++)
    out[i] = weight[0] * in[i] + weight[1] * (in[i - 1] + in[i + 1]) + weight[2] * (in[i - 2] + in[i + 2])
             + weight[3] * (in[i - 3] + in[i + 3]) + weight[4] * (in[i - 4] + in[i + 4]);
}
