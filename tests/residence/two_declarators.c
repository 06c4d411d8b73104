#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double A[100];
static double g(double *v) { for (int i = 0; i < 100; i++) v[i] = v[i] + i; return 3; }
int main(void)
{
  double x = g(A), y = A[3];
  printf("%f %f\n", x, y);
  int k = 5, z = (int)A[k];
  printf("%d %d\n", k, z);
  return 0;
}
