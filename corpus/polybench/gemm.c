/* gemm: C := alpha * A * B + beta * C, the general matrix product. */
#include <stdio.h>

#ifndef NI
#define NI 80
#endif
#ifndef NJ
#define NJ 64
#endif
#ifndef NK
#define NK 72
#endif

double A[NI][NK];
double B[NK][NJ];
double C[NI][NJ];

static void init_arrays(void)
{
  int i, j;

  for (i = 0; i < NI; i++)
    for (j = 0; j < NK; j++)
      A[i][j] = (double)(i * NK + j + 1) / (NI * NK);
  for (i = 0; i < NK; i++)
    for (j = 0; j < NJ; j++)
      B[i][j] = (double)(i + j * NK) / (NK * NJ) - 0.5;
  for (i = 0; i < NI; i++)
    for (j = 0; j < NJ; j++)
      C[i][j] = 2.0 - (double)(i * NJ + j) / (NI * NJ);
}

static void kernel_gemm(double alpha, double beta)
{
  int i, j, k;

  /* all cells of C are independent */
  for (i = 0; i < NI; i++)
    for (j = 0; j < NJ; j++) {
      C[i][j] *= beta;
      for (k = 0; k < NK; k++)
        C[i][j] += alpha * A[i][k] * B[k][j];
    }
}

int main(void)
{
  int i, j;
  double sum = 0.0;

  init_arrays();
  kernel_gemm(1.25, 0.75);
  for (i = 0; i < NI; i++)
    for (j = 0; j < NJ; j++)
      sum += C[i][j] * (double)((i * NJ + j) % 17 + 1);
  printf("C %.10e\n", sum);
  return 0;
}
