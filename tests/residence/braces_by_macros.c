#include <stdio.h>
#define BEGIN {
#define END }
static double A[100];
static void k(void)
{
  for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i;
}
int main(void)
BEGIN
  double t[10];
  for (int i = 0; i < 10; i++) t[i] = i;
  k();
  if (A[3] > 0) BEGIN printf("%g\n", A[3]); END
  printf("%g\n", A[4]);
END
