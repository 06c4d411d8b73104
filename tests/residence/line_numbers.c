#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

#include <assert.h>
#define HERE (__LINE__ % 7)
int main(void) {
  for (int i = 0; i < 100; i++)
    A[i] = i
         + __LINE__;
  for (int i = 0; i < 100; i++)
    B[i] = HERE;
  for (int t = 0; t < 3; t++)
  {
    for (int i = 1; i < 99; i++)
      B[i] = A[i - 1]
           + A[i + 1];
    for (int i = 1; i < 99; i++)
      A[i] = B[i];
    printf("%d %g\n", __LINE__, A[3]);
  }
  if (A[3] > 1)
    for (int i = 1; i < 99; i++)
      B[i] = B[i - 1] / 2 +
        A[i];
  printf("%d %g %g\n", __LINE__, A[3], B[4]);
  double s = 0;
  for (int i = 0; i < 100; i++) {
    s += A[i];
  }
  printf("%d %g %g\n", __LINE__, s, B[5]);
#pragma GCC ivdep
  for (int i = 1; i < 9; i++) { B[i] = B[i - 1] + A[i] + __LINE__; }
  printf("%d %g\n", __LINE__, B[5]);
  assert(A[3] < 0 || printf("%d\n", __LINE__));
  return 0; }
