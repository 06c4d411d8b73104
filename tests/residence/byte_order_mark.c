#include <stdio.h>
static double A[100];
static int ak = 3;
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }
int main(void) { int y = 2; k(); int z = 4; printf("%g %d\n", A[3], ak + y + z); return 0; }
