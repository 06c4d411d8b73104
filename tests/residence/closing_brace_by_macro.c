#include <stdio.h>
#define END }
static double A[100];
static void k(void)
{
  double t[100];
  for (int i = 0; i < 100; i++) t[i] = A[i] + i;
  for (int i = 0; i < 100; i++) A[i] = t[i] + i;
END
int main(void)
{
  k();
  printf("%g\n", A[3]);
  return 0;
}
