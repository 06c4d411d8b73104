#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double A[100], B[100];
static void k(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i; }

static int here(int i) {
  return i + __LINE__; }
#define UNIQ (__COUNTER__)
static int named(int i) { return i + (int)sizeof __func__; }
int main(void) {
  for (int i = 0; i < 100; i++) A[i] = here(i);
  printf("%g\n", A[3]);
  for (int i = 0; i < 100; i++) A[i] = named(i);
  printf("%g\n", A[3]);
  for (int i = 0; i < 100; i++) A[i] += UNIQ;
  for (int i = 0; i < 100; i++) B[i] = UNIQ;
  printf("%g %g %d\n", A[3], B[3], UNIQ);
  for (int i = 0; i < 100; i++) A[i] = sizeof __FILE__ + i;
  return 0; }
