#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double A[100];
static void work(double *p) { for (int i = 0; i < 100; i++) p[i] += i; }
static int fail(int k)
{
  int r = -1; double *p = malloc(800), *q = malloc(800);
  memset(p, 0, 800); p[0] = k;
  work(p);
  if (k & 1) goto out;
  r = p[3] > 2;
  work(p);
out:
  free(p); free(q);
  return r;
}
int main(void)
{
  for (int k = 1; k < 6; k++) { int r = fail(k); printf("%d\n", r); }
  double *p = calloc(100, 8); p[3] = 5;
  work(p);
  printf("%f\n", p[3]);
  free(p);
  return 0;
}
