/* 2mm: D := alpha * A * B * C + beta * D, two matrix products in sequence. */
#include <stdio.h>

#ifndef NI
#define NI 64
#endif
#ifndef NJ
#define NJ 72
#endif
#ifndef NK
#define NK 56
#endif
#ifndef NL
#define NL 48
#endif

double A[NI][NK];
double B[NK][NJ];
double C[NJ][NL];
double D[NI][NL];
double tmp[NI][NJ];

static void init_arrays(void)
{
  for (int i = 0; i < NI; i++)
    for (int k = 0; k < NK; k++)
      A[i][k] = (double)(i * NK + k + 1) / (NI * NK);
  for (int k = 0; k < NK; k++)
    for (int j = 0; j < NJ; j++)
      B[k][j] = 0.5 - (double)(k * NJ + j) / (NK * NJ);
  for (int j = 0; j < NJ; j++)
    for (int l = 0; l < NL; l++)
      C[j][l] = (double)(j - 2 * l) / NJ + 0.001 * j * l;
  for (int i = 0; i < NI; i++)
    for (int l = 0; l < NL; l++)
      D[i][l] = 1.0 + (double)(i + NI * l) / (NI * NL);
}

static void kernel_2mm(double alpha, double beta)
{
  /* tmp = alpha * A * B: every cell is an independent inner product over k */
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NJ; j++) {
      tmp[i][j] = 0.0;
      for (int k = 0; k < NK; k++)
        tmp[i][j] += alpha * A[i][k] * B[k][j];
    }
  /* D = tmp * C + beta * D */
  for (int i = 0; i < NI; i++)
    for (int l = 0; l < NL; l++) {
      D[i][l] *= beta;
      for (int j = 0; j < NJ; j++)
        D[i][l] += tmp[i][j] * C[j][l];
    }
}

int main(void)
{
  init_arrays();
  kernel_2mm(1.5, 1.2);

  /* the weights make a permutation of the cells visible */
  double sum = 0.0;
  for (int i = 0; i < NI; i++)
    for (int l = 0; l < NL; l++)
      sum += D[i][l] * (double)((i * NL + l) % 17 + 1);
  printf("D %.10e\n", sum);
  return 0;
}
