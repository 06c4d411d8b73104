#include <stdio.h>
static double A[100];
static void inc(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 1.5 + i; }
int main(void) {
  double s = 0;
  for (int t = 0; t < 4; t++) {
    int n = 2;
    inc();
    switch (t & 1) {
    case 0:
      inc();
      for (; n > 0; n--) {
        s += A[3];
    case 1:
        s += A[4];
      }
      inc();
    }
  }
  printf("%f\n", s);
  return 0;
}
