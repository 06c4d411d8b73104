#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define TWO a = 1; b = 2;
double A[100];
int main(void)
{
  int a = 0, b = 0; double x = 0;
  for (int i = 0; i < 100; i++) A[i] = i;
  { int j = 2; TWO; x = A[j]; }
  printf("%f %d %d\n", x, a, b);
  for (int i = 0; i < 100; i++) A[i] *= i;
  if (x > 0) { int j = 2; TWO; x = A[j + 1]; }
  printf("%f %d %d\n", x, a, b);
  return 0;
}
