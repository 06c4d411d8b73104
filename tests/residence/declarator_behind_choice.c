#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

int main(int argc, char **argv) { (void)argv; k(); double x = argc > 5 ? 1 : 2, y = A[3]; printf("%g %g\n", x, y); return 0; }
