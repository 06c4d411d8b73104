/* 3mm: G := (A * B) * (C * D), three matrix products; the first two are independent of each other. */
#include <stdio.h>

#ifndef NI
#define NI 48
#endif
#ifndef NJ
#define NJ 56
#endif
#ifndef NK
#define NK 64
#endif
#ifndef NL
#define NL 40
#endif
#ifndef NM
#define NM 52
#endif

static double A[NI][NK], B[NK][NJ], C[NJ][NM], D[NM][NL];
static double E[NI][NJ], F[NJ][NL], G[NI][NL];

static void init_arrays(void)
{
  for (int i = 0; i < NI; i++)
    for (int k = 0; k < NK; k++)
      A[i][k] = (double)(i * NK + k + 1) / (NI * NK);
  for (int k = 0; k < NK; k++)
    for (int j = 0; j < NJ; j++)
      B[k][j] = 0.25 + (double)(k - j * NK) / (NK * NJ);
  for (int j = 0; j < NJ; j++)
    for (int m = 0; m < NM; m++)
      C[j][m] = (double)(3 * j * NM + m) / (5 * NJ * NM);
  for (int m = 0; m < NM; m++)
    for (int l = 0; l < NL; l++)
      D[m][l] = (double)(m + l * NM) / (NM * NL) - 0.4;
}

static void kernel_3mm(double a[restrict NI][NK], double b[restrict NK][NJ], double c[restrict NJ][NM],
                       double d[restrict NM][NL], double e[restrict NI][NJ], double f[restrict NJ][NL],
                       double g[restrict NI][NL])
{
  int i, j, k;

  /* e = a * b */
  for (i = 0; i < NI; i++)
    for (j = 0; j < NJ; j++) {
      e[i][j] = 0.0;
      for (k = 0; k < NK; k++)
        e[i][j] += a[i][k] * b[k][j];
    }
  /* f = c * d */
  for (i = 0; i < NJ; i++)
    for (j = 0; j < NL; j++) {
      f[i][j] = 0.0;
      for (k = 0; k < NM; k++)
        f[i][j] += c[i][k] * d[k][j];
    }
  /* g = e * f */
  for (i = 0; i < NI; i++)
    for (j = 0; j < NL; j++) {
      g[i][j] = 0.0;
      for (k = 0; k < NJ; k++)
        g[i][j] += e[i][k] * f[k][j];
    }
}

int main(void)
{
  init_arrays();
  kernel_3mm(A, B, C, D, E, F, G);

  double sum = 0.0;
  for (int i = 0; i < NI; i++)
    for (int l = 0; l < NL; l++)
      sum += G[i][l] * (double)((i * NL + l) % 19 + 1);
  printf("G %.10e\n", sum);
  return 0;
}
