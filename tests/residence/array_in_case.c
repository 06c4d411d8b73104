#include <stdio.h>
static void inc(double *a) { for (int i = 0; i < 100; i++) a[i] = a[i] * 1.5 + i; }
int main(void) {
  double s = 0;
  for (int t = 0; t < 5; t++)
    switch (t % 2) {
    case 0:;
      double b[100] = {t, t, t, t};
      inc(b);
      s += b[3] + b[50];
      break;
    default:
      s += 1;
    }
  printf("%f\n", s);
  return 0;
}
