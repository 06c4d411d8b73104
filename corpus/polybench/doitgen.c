/* doitgen: a step of multi-resolution analysis, A[r][q][p] := sum over s of A[r][q][s] * C4[s][p],
   on flat arrays from the heap. */
#include <stdio.h>
#include <stdlib.h>

#ifndef NR
#define NR 24
#endif
#ifndef NQ
#define NQ 20
#endif
#ifndef NP
#define NP 28
#endif

static void kernel_doitgen(double *restrict A, double *restrict C4, double *restrict sum)
{
  /* every (r, q) row is multiplied by C4 ... */
  for (int r = 0; r < NR; r++)
    for (int q = 0; q < NQ; q++)
      for (int p = 0; p < NP; p++) {
        sum[(r * NQ + q) * NP + p] = 0.0;
        for (int s = 0; s < NP; s++)
          sum[(r * NQ + q) * NP + p] += A[(r * NQ + q) * NP + s] * C4[s * NP + p];
      }
  /* ... and only then takes the place of the old one */
  for (int r = 0; r < NR; r++)
    for (int q = 0; q < NQ; q++)
      for (int p = 0; p < NP; p++)
        A[(r * NQ + q) * NP + p] = sum[(r * NQ + q) * NP + p];
}

int main(void)
{
  double *A = malloc(sizeof(double) * NR * NQ * NP);
  double *sum = malloc(sizeof(double) * NR * NQ * NP);
  double *C4 = malloc(sizeof(double) * NP * NP);
  if (A == NULL || sum == NULL || C4 == NULL)
    return 1;

  for (int r = 0; r < NR; r++)
    for (int q = 0; q < NQ; q++)
      for (int p = 0; p < NP; p++)
        A[(r * NQ + q) * NP + p] = (double)((r * NQ + q) * NP + p + 1) / (NR * NQ * NP);
  for (int s = 0; s < NP; s++)
    for (int p = 0; p < NP; p++)
      C4[s * NP + p] = (double)(s * NP + p) / (NP * NP) - 0.45;

  kernel_doitgen(A, C4, sum);

  double total = 0.0;
  for (int i = 0; i < NR * NQ * NP; i++)
    total += A[i] * (double)(i % 17 + 1);
  printf("A %.10e\n", total);
  free(A);
  free(sum);
  free(C4);
  return 0;
}
