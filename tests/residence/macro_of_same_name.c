#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double A[100];
int main(void)
{
  int k = 3; double x;
#define k (k + 1)
  for (int i = 0; i < 100; i++) A[i] += i * i;
  x = A[k];
  printf("%f\n", x);
  return 0;
}
