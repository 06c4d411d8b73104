#include <stdio.h>
static double a[64], b[64];
static double *q = b;
static int f(void) { typedef double T[(q = a, 4)]; T t; t[0] = 1; return t[0]; }
static void work(void) {
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = a[i-1] + 1;
}
int main(void) {
  printf("%d\n", f());
  work();
  printf("%g %g\n", a[63], b[63]);
}
