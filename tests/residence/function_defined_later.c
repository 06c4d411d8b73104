#include <stdio.h>
static double A[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }
static int here(int i) { return i + 3; }
int main(void) {
  k();
  for (int i = 0; i < 100; i++) A[i] += here(i);
  printf("%g\n", A[3]);
  return 0; }
