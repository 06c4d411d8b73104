#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

int main(void) { double x; k();
// note \
#pragma foo
  x = A[3];
  printf("%g\n", x); return 0; }
