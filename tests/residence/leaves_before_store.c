#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

static double f(int c) { k(); A[3] = c ? 1 : ({ return 7; 2; }); k(); return A[3]; }
int main(void) { printf("%g\n", f(0)); printf("%g\n", A[3]); printf("%g\n", f(1)); return 0; }
