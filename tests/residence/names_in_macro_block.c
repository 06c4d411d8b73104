#include <stdio.h>
#define TWO x = 1; y = 2
static double A[100];
static void inc(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 1.5 + i; }
int main(void) {
  double x = 0, y = 0;
  inc();
  {
    static int k = 3;
    TWO;
    x += A[k];
  }
  printf("%f %f\n", x, y);
  inc();
  {
    enum { K = 4 };
    TWO;
    y += A[K];
  }
  printf("%f %f\n", x, y);
  return 0;
}
