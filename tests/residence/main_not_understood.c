#include <stdio.h>
static double A[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }
int main(void) { static void *t[] = {&&a, &&b}; int n = 0; k(); goto *t[n]; a: printf("%g\n", A[3]); k(); n++; goto *t[n]; b: printf("%g\n", A[4]); return 0; }
