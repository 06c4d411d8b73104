#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static struct { int n; double d[]; } f = {3, {1, 2, 3}};
double A[100];
static void inc(double *p, int n) { for (int i = 0; i < n; i++) p[i] = p[i] + i; }
int main(void)
{
  double x = 0;
  inc(A, 100);
  inc(f.d, f.n);
  for (int i = 1; i < f.n; i++) x = x / 2 + f.d[i] * x + f.d[i];
  printf("%f %f\n", x, A[3]);
  return 0;
}
