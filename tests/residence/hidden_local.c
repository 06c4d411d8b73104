#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double B[100];
static double f(int k)
{
  double b[100];
  for (int i = 0; i < 100; i++) b[i] = i + k;
  if (k) { double b = 3; return b + k; }
  return b[3];
}
static double sum(int n) { double s = 0, v[200]; for (int i = 0; i < 200; i++) v[i] = i * n; for (int i = 1; i < 200; i++) v[i] = v[i - 1] / 2 + n; for (int i = 0; i < 200; i++) s += v[i]; return s; }
int main(void)
{
  double x = f(1);
  double y = sum(2);
  printf("%f %f\n", x, y);
  x = f(0);
  y = sum(3);
  printf("%f %f\n", x, y);
  return 0;
}
