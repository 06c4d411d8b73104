#include <stdio.h>
#define TWO y = 1; y += 2
static double A[100];
static void inc(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 1.5 + i; }
int main(void) {
  double s = 0, y = 0;
  for (int t = 0; t < 4; t++) {
    inc();
    switch (t & 1) {
    default:
      inc();
      if (y >= 0) {
        TWO;
    case 1:
        s += A[4];
      }
      inc();
    }
  }
  printf("%f %f\n", s, y);
  return 0;
}
