#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

static double g(void) { return ({ k(); A[3]; }); }
static double h(void) { double t[100]; double r = ({ for (int i = 0; i < 100; i++) t[i] = A[i] + 1; t[4]; }); ({ double u[100]; for (int i = 0; i < 100; i++) u[i] = i; r += u[3]; }); return r; }
int main(void) { k(); double x = g(); printf("%g\n", x); x = h(); printf("%g\n", x); switch (({ k(); (int)A[3] % 3; })) { case 0: A[3] = 1; break; default: x += A[4]; } printf("%g %g\n", x, A[3]); (void)({ k(); A[3] = 2; }); k(); printf("%g\n", A[3]); return 0; }
