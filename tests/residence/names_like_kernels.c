#include <stdio.h>
#define app_k7 3
/* app__k1 is not taken */
struct S { int app_host_reads; };
static double A[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }
int main(void) { struct S s = { 4 }; int app__k2 = 2; k(); printf("%g %d\n", A[3], s.app_host_reads + app__k2 + app_k7); return 0; }
