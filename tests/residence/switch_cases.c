#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double A[100];
int main(int argc, char **argv)
{
  double x = 0;
  for (int t = 0; t < 4; t++) {
    switch (t) {
    case 0: for (int i = 0; i < 100; i++) A[i] += i * argc; break;
    case 1: x = A[3]; break;
    case 2: A[4] = 9; break;
    default: for (int i = 0; i < 100; i++) A[i] += i * argc;
    }
    printf("%f\n", x);
  }
  printf("%f\n", A[4]);
  return 0;
}
