#include <stdio.h>
static double A[100];
static void inc(void) { for (int i = 0; i < 100; i++) A[i] = A[i] * 1.5 + i; }
int main(int argc, char **argv) {
  double s = 0;
  for (int t = 0; t < 5; t++)
    switch (t % 2) {
    case 0:;
      int k = 5 + t, z = (int)A[k];
      inc();
      s += z + A[k];
      break;
    default:
      s += 1;
    }
  printf("%f\n", s);
  return 0;
}
