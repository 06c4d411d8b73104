#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern double A[];
double last(int n)
{
  double x = 0;
  for (int i = 0; i < 100; i++) A[i] += i;
  for (int i = 1; i < n; i++) x = x * A[i] + 1 - x;
  return x;
}
double A[100];
int main(void)
{
  printf("%f\n", last(4));
  return 0;
}
