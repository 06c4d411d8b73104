#ifndef NAME
#include <stdio.h>
#define NAME fa
#define ARR A
static double A[100], B[100];
#include "app.c"
#undef NAME
#undef ARR
#define NAME fb
#define ARR B
#include "app.c"
int main(void) { fa(); fb(); fa(); printf("%g %g\n", A[3], B[4]); return 0; }
#else
static void NAME(void) {
  for (int i = 0; i < 100; i++) ARR[i] = ARR[i] * 2 + i;
  ARR[3] += 1;
  for (int i = 0; i < 100; i++) ARR[i] = ARR[i] * 2 + i;
}
#endif
