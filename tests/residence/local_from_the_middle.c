#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void inc(double *p, int n) { for (int i = 0; i < n; i++) p[i] = p[i] + i; }
static double h(int t) { double a[100] = {t}; inc(&a[10], 30); return a[10] + a[11]; }
int main(void)
{
  double x; 
  for (int t = 0; t < 3; t++) { x = h(t); printf("%f\n", x); }
  return 0;
}
