/* seidel-2d: averaging of a cell and its eight neighbours in place, so every cell sees new values to its left and above. */
#include <stdio.h>

#ifndef TSTEPS
#define TSTEPS 10
#endif
#ifndef N
#define N 80
#endif

double A[N][N];

static void init_arrays(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = (double)(i * (j + 2) + 2) / N + (double)((i * 11 + j * 5) % 23);
}

static void kernel_seidel_2d(void)
{
  for (int t = 0; t < TSTEPS; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1]
                   + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9.0;
}

int main(void)
{
  init_arrays();
  kernel_seidel_2d();

  double sum = 0.0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += A[i][j] * (double)((i * N + j) % 17 + 1);
  printf("A %.10e\n", sum);
  return 0;
}
