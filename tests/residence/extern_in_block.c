#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
  extern double A[100];
  for (int i = 0; i < 100; i++) A[i] += i;
  printf("%f\n", A[3]);
  for (int k = 0; k < 3; k++) { extern double B[100]; B[k + 1] = B[k] * 2 + A[k]; printf("%f\n", B[k + 1]); }
  return 0;
}
double A[100], B[100];
