#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double A[100], B[100];
int main(void)
{
  for (int i = 0; i < 100; i++) A[i] = i;
  _Pragma("GCC ivdep") for (int i = 1; i < 4; i++) B[i] = B[i - 1] / 2 + A[i];
  printf("%f\n", B[3]);
  return 0;
}
