#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double A[100], B[100];
int main(void)
{
  for (int t = 0; t < 3; t++) {
    double *p = (double[100]){t, 2, 3};
    for (int i = 0; i < 100; i++) p[i] = p[i] + i;
    for (int i = 0; i < 100; i++) B[i] += p[i];
    printf("%f\n", B[0] + B[2]);
  }
  return 0;
}
