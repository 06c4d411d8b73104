#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

int main(void) { k();
/* c */ #pragma GCC unroll 4
  for (int i = 1; i < 4; i++) B[i] = B[i - 1] / 2 + A[i];
  printf("%g\n", B[3]); return 0; }
