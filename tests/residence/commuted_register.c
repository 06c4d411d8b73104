#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

int main(void) { k(); register int i = 3; double x = 0; x = i[A]; printf("%g\n", x); k(); i[A] = 9; k(); printf("%g\n", A[3]); k(); if (i[A] > 5) puts("y"); k(); double y = i[A] + 2, z = (i)[A]; printf("%g %g\n", y, z); return 0; }
