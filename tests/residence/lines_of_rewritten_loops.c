#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

static double M[40][40], N[40][40], P[40][40];
int main(void) {
  for (int i = 0; i < 100; i++)
    A[i] = i;
  for (int i = 0; i < 100; i++)
    B[i] = A[i] * 2;
  for (int i = 0; i < 100; i++)
  {
    A[i] = A[i] + B[i];
  }
  printf("%d %g\n", __LINE__, A[3]);
  for (int j = 0; j < 40; j++)
    for (int i = 0; i < 40; i++) {
      M[i][j] = i + j;
      N[i][j] = i - j;
    }
  for (int i = 1; i < 40; i++)
    for (int j = 0; j < 40; j++)
      M[i][j] = M[i - 1][j] + N[i][j];
  printf("%d %g\n", __LINE__, M[3][4]);
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++) {
      P[i][j] = 0;
      for (int q = 0; q < 40; q++)
        P[i][j] += M[i][q] * N[q][j];
    }
  printf("%d %g\n",
     __LINE__, P[3][4]);
  return 0; }
