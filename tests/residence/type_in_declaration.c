#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double A[100];
int main(void)
{
  for (int i = 0; i < 100; i++) A[i] += i;
  struct { int k; double x; } t = {1, A[3]};
  printf("%f\n", t.x);
  return 0;
}
