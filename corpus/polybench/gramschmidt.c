/* gramschmidt: A = Q * R by the modified Gram-Schmidt process; A is used up. */
#include <math.h>
#include <stdio.h>

#ifndef M
#define M 64
#endif
#ifndef N
#define N 48
#endif

double A[M][N];
double R[N][N];
double Q[M][N];

static void init_arrays(void)
{
  /* the strong diagonal keeps the columns independent */
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = sin(0.3 * i * j + 0.7 * i + 1.0);
      if (i == j)
        A[i][j] += 10.0;
      Q[i][j] = 0.0;
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      R[i][j] = 0.0;
}

static void kernel_gramschmidt(void)
{
  int i, j, k;
  double norm;

  for (k = 0; k < N; k++) {
    /* the length of column k, and the unit vector along it */
    norm = 0.0;
    for (i = 0; i < M; i++)
      norm += A[i][k] * A[i][k];
    R[k][k] = sqrt(norm);
    for (i = 0; i < M; i++)
      Q[i][k] = A[i][k] / R[k][k];
    /* its share is taken out of every later column */
    for (j = k + 1; j < N; j++) {
      R[k][j] = 0.0;
      for (i = 0; i < M; i++)
        R[k][j] += Q[i][k] * A[i][j];
      for (i = 0; i < M; i++)
        A[i][j] = A[i][j] - Q[i][k] * R[k][j];
    }
  }
}

int main(void)
{
  init_arrays();
  kernel_gramschmidt();

  double sum_r = 0.0, sum_q = 0.0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum_r += R[i][j] * (double)((i * N + j) % 17 + 1);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      sum_q += Q[i][j] * (double)((i * N + j) % 17 + 1);
  printf("R %.10e\n", sum_r);
  printf("Q %.10e\n", sum_q);
  return 0;
}
