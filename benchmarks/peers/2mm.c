/* 2mm by hand: both products by rows, and row i of D needs row i of tmp only, so one parallel loop does both. */
static void kernel_2mm(double alpha, double beta)
{
  #pragma omp parallel for
  for (int i = 0; i < NI; i++) {
    for (int j = 0; j < NJ; j++)
      tmp[i][j] = 0.0;
    for (int k = 0; k < NK; k++)
      for (int j = 0; j < NJ; j++)
        tmp[i][j] += alpha * A[i][k] * B[k][j];
    for (int l = 0; l < NL; l++)
      D[i][l] *= beta;
    for (int j = 0; j < NJ; j++)
      for (int l = 0; l < NL; l++)
        D[i][l] += tmp[i][j] * C[j][l];
  }
}
