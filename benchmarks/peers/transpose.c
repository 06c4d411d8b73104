/* transpose by hand: tiles, so that the lines of both matrices are used as a whole while they are in the cache. */
#define TILE 32

static void kernel_transpose(void)
{
  #pragma omp parallel for collapse(2)
  for (int it = 0; it < N; it += TILE)
    for (int jt = 0; jt < M; jt += TILE) {
      int iend = it + TILE < N ? it + TILE : N, jend = jt + TILE < M ? jt + TILE : M;
      for (int j = jt; j < jend; j++)
        for (int i = it; i < iend; i++)
          B[j][i] = A[i][j];
    }
}
