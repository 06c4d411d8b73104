#include <stdio.h>
static double A[100];
static void inc(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 1.5 + i; }
static int other(int a) { enum { k = 4, p = 2 }; return a + k + p; }
int main(void) {
  double x;
  int k = 1;
  inc();
  k = other(k), x = A[k];
  printf("%f\n", x);
  inc();
  k = 9, x = A[k];
  printf("%f\n", x);
  register struct { int k; } s = {2};
  inc();
  s.k = 11, x = A[s.k];
  printf("%f\n", x);
  inc();
  x = s.k++ + 0.0, x += A[s.k];
  printf("%f\n", x);
  return 0;
}
