#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

int main(void) { double x = 0; k(); while (({ k(); A[3]; }) < 50) x++; printf("%g\n", x); for (int i = 0; i < ({ k(); (int)A[1] % 7; }); i++) x += A[2]; printf("%g\n", x); return 0; }
