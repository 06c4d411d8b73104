#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

static double f(int c) { k(); A[({ if (c) return 1; 3; })] = 2; k(); return A[3]; }
static double g(int c) { for (int t = 0; t < 3; t++) { k(); A[3] = t == c ? 1.0 : ({ if (t == 2) break; 2.0; }); } return A[3]; }
static double h(int *p, int c) { k(); A[p ? *p : ({ return 4; 1; })] = c; k(); return A[c]; }
int main(void) { int one = 1; printf("%g %g\n", f(0), A[3]); printf("%g ", f(1)); printf("%g\n", A[3]); printf("%g %g\n", g(0), g(2)); printf("%g\n", A[3]); printf("%g ", h(&one, 1)); printf("%g ", h(0, 1)); printf("%g\n", A[1]); return 0; }
