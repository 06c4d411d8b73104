#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double B[100];
static void f(int t)
{
    double *p = (double[100]){t, 2, 3};
    for (int i = 0; i < 100; i++) p[i] = p[i] + i;
    for (int i = 0; i < 100; i++) B[i] += p[i];
}
int main(void)
{
  for (int t = 0; t < 3; t++) {
    f(t);
    printf("%f\n", B[0] + B[2]);
  }
  return 0;
}
