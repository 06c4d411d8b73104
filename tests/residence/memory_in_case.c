#include <stdio.h>
static double A[100];
struct T { double v[4]; int n; };
static void inc(double *a, int n) { for (int i = 0; i < n; i++) a[i] = a[i] * 1.5 + i; }
static void both(double *a, const double *k, int n) { for (int i = 0; i < n; i++) a[i] = a[i] + k[0]; }
int main(void) {
  double s = 0;
  for (int t = 0; t < 6; t++) {
    switch (t % 3) {
    case 0:;
      double r = t;
      both(A, &r, 100);
      break;
    case 1:;
      struct T z = {{t, t + 1}, 4};
      inc(z.v, z.n);
      s += z.v[1];
    }
  }
  printf("%f %f\n", s, A[3]);
  return 0;
}
