#include <stdio.h>
static double A[100];
static void inc(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 1.5 + i; }
int main(void) {
  double s = 0;
  for (int t = 0; t < 4; t++) {
    inc();
    switch (t & 1) {
    default:
      inc();
      break;
    case 1:;
      typedef int row[(int)A[3] % 5 + 1];
      s += sizeof(row);
    }
  }
  printf("%f\n", s);
  return 0;
}
