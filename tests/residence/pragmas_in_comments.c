#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

int main(void) { k();
  double x = 0;
/*
#pragma foo
/* hello */
  x = A[3];
  printf("%g\n", x); 
/*
#pragma bar
// hello */
  A[4] = 3;
  k(); printf("%d %g\n", __LINE__, A[4]); return 0; }
