/* jacobi-2d: repeated averaging of a cell and its four neighbours, on flat arrays from the heap. */
#include <stdio.h>
#include <stdlib.h>

#ifndef TSTEPS
#define TSTEPS 10
#endif
#ifndef N
#define N 90
#endif

int main(void)
{
  double *A = malloc(sizeof(double) * N * N);
  double *B = malloc(sizeof(double) * N * N);
  if (A == NULL || B == NULL)
    return 1;

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i * N + j] = (double)(i * (j + 2) + 2) / N + (double)((i * 13 + j * 7) % 19);
      B[i * N + j] = 0.0;
    }

  for (int t = 0; t < TSTEPS; t++) {
    /* the five points around the cell; the border is only read */
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        B[i * N + j] = 0.2 * (A[i * N + j] + A[i * N + j - 1] + A[i * N + j + 1] + A[(i - 1) * N + j]
                              + A[(i + 1) * N + j]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i * N + j] = B[i * N + j];
  }

  double sum = 0.0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += A[i * N + j] * (double)((i * N + j) % 17 + 1);
  printf("A %.10e\n", sum);
  free(A);
  free(B);
  return 0;
}
