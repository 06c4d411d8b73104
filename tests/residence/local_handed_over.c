#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void inc(double *p) { for (int i = 0; i < 100; i++) p[i] = p[i] + i; }
static double f(int t) { double a[100] = {t}; inc(a); return a[0] + a[4]; }
int main(void)
{
  for (int t = 0; t < 4; t++) { double x = f(t); printf("%f\n", x); }
  return 0;
}
