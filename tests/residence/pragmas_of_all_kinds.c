#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

#define HINT(n) _Pragma(#n)
#define TWO HINT(GCC unroll 2)
#define NOTHING
int main(void) {
  k();
#if 1
#pragma GCC unroll 4 /* x */
#else
  #pragma GCC unroll 2
#endif
  // text
  for (int i = 1; i < 4; i++) B[i] = B[i - 1] / 2 + A[i];
  printf("%g\n", B[3]); k();
  if (B[3] > 0)
#ifdef NOTHING
    #pragma GCC unroll \
       2
#endif
    for (int i = 1; i < 4; i++) B[i] = B[i - 1] / 2 + A[i];
  printf("%g\n", B[3]); k();
  NOTHING HINT(GCC ivdep) for (int i = 1; i < 4; i++) B[i] = B[i - 1] / 2 + A[i];
  printf("%g\n", B[3]); k(); TWO for (int i = 1; i < 4; i++) B[i] = B[i - 1] / 2 + A[i];
  printf("%g\n", B[3]); k(); _Pragma("GCC ivdep") for (int i = 1; i < 4; i++) B[i] = B[i - 1] / 2 + A[i];
  printf("%g\n", B[3]); k();
  { /* in a block */
#pragma STDC FP_CONTRACT OFF
    double x = A[3]; printf("%g\n", x); k(); }
#pragma GCC ivdep
  while (B[3] > A[3]) B[3] /= 2;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
  A[3] = 5;
#pragma GCC diagnostic pop
  k();
#ifdef FOO
  A[3] = 4;
#elif 1
#pragma GCC unroll 4
  for (int i = 1; i < 4; i++) B[i] = B[i - 1] / 2 + A[i];
#endif
  printf("%g %g\n", B[3], A[3]);
  k();
#ifndef FOO
  A[4] = 1;
#pragma GCC unroll 3
#endif
  for (int i = 1; i < 6; i++) B[i] = B[i - 1] / 2 + A[i]; k();
  printf("%g %g\n", B[4], A[4]);
  return 0; }
