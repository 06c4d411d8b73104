#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double first(double *p) { return p[3]; }
static int show(const double *p) { printf("%f\n", p[3] + p[4]); return 0; }
static double f(void) { double b[100]; for (int i = 0; i < 100; i++) b[i] = i * 2.0; return first(b); }
double A[100];
int main(void)
{
  double x = f();
  printf("%f\n", x);
  for (int i = 0; i < 100; i++) A[i] = i * 2.0;
  return show(A);
}
