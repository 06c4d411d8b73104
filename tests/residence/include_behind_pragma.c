#ifndef AGAIN
#define AGAIN
#include <stdio.h>
static double A[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }
int main(void) {
  k();
#pragma foo
#include "app.c"
  printf("%g\n", A[3]);
  k();
#pragma GCC diagnostic push
#define X 1
  A[3] = X;
  k(); printf("%g\n", A[3]);
  return 0; }
#else
  k();
#endif
