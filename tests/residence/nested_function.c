#include <stdio.h>
static double A[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }
int main(void) { k(); int inner(int j) { return (int)A[j]; } printf("%d\n", inner(3)); return 0; }
