#include <stdio.h>
static double A[100];
static int app_s1 = 3;
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }
int main(void) { int app_k1 = 2; k(); int app_host_reads = 4; printf("%g %d\n", A[3], app_s1 + app_k1 + app_host_reads); return 0; }
