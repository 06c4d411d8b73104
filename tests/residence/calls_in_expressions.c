#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

static double f(double v) { return v; }
int main(void) { double x; k(); x = f(({ k(); A[3]; })); if (({ k(); A[4]; }) > 3) A[5] = ({ k(); 2; }); k(); printf("%g %g\n", x, A[5]); return 0; }
