#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double A[100], B[100];
static void show(int k)
{
  if (k) { static double c[3]; c[0] += A[3]; printf("%f\n", c[0]); }
}
int main(void)
{
  for (int i = 0; i < 100; i++) A[i] += i;
  show(1);
  show(1);
  return 0;
}
