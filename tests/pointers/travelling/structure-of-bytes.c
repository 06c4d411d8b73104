#include <stdio.h>
#include <string.h>
static double a[64], b[64];
static void run(double *q) {
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = a[i-1] + 1;
}
struct bytes { unsigned char b0, b1, b2, b3, b4, b5, b6, b7; };
int main(void) {
  double *p = a, *q = b;
  struct bytes x, y;
  memcpy(&x, &p, 8);
  y.b0 = x.b0; y.b1 = x.b1; y.b2 = x.b2; y.b3 = x.b3; y.b4 = x.b4; y.b5 = x.b5; y.b6 = x.b6; y.b7 = x.b7;
  memcpy(&q, &y, 8);
  run(q);
  printf("%g %g\n", a[63], b[63]);
}
