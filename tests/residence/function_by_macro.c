#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double A[100];
static void work(double *p) { for (int i = 0; i < 100; i++) p[i] = p[i] + i; }
#define DEF(name) static void name(double *p) { work(p); }
DEF(wrap)
int main(void)
{
  wrap(A);
  printf("%f\n", A[3]);
  A[3] = 7;
  wrap(A);
  printf("%f\n", A[3]);
  return 0;
}
