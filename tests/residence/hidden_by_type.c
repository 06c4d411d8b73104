#include <stdio.h>
static double A[100];
static void inc(double *a) { for (int i = 0; i < 100; i++) a[i] = a[i] * 1.5 + i; }
static int f(int t) {
  double b[100] = {t, t, t};
  inc(b);
  if (t % 2) { enum { b = 3 }; return b + t; }
  return (int)b[2];
}
int main(void) {
  int s = 0;
  for (int t = 0; t < 6; t++) s += f(t);
  inc(A);
  printf("%d %f\n", s, A[3]);
  if (s > 3) { typedef int A; A r = 0; return r; }
  return 0;
}
