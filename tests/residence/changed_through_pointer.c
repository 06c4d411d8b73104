#include <stdio.h>
static double A[100], B[100];
static void inc(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 1.5 + i; }
static void inb(void) { for (int i = 0; i < 100; i++) B[i] = B[i] * 2.5 + i; }
int main(void) {
  int k = 1, *p = &k;
  double x, *q = A, **pp = &q;
  inc();
  inb();
  *p = 7, x = A[k];
  printf("%f\n", x);
  inc();
  if ((*p += 2) && A[k] > 3)
    printf("%f yes\n", A[9]);
  inc();
  inb();
  *pp = B, x = q[3];
  printf("%f\n", x);
  return 0;
}
