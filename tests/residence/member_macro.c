#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static struct { double A[100], x; int n; } G;
#define A G.A
#define n G.n
static void inc(double *p) { for (int i = 0; i < 100; i++) p[i] += i; }
int main(void)
{
  n = 4;
  inc(A);
  A[3] += 1; A[n] = 2;
  inc(A);
  double s = 0;
  for (int k = 0; k < 9; k++) s = s / 2 + A[k];
  printf("%f %f %f\n", A[3], A[n], s);
  return 0;
}
