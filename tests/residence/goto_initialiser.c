#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double B[100];
int main(void)
{
  int k = 0;
again:;
  double b[100] = {k, 2, 3};
  for (int i = 0; i < 100; i++) b[i] = b[i] + i;
  for (int i = 0; i < 100; i++) B[i] += b[i];
  printf("%f\n", B[0] + B[2]);
  if (k++ < 3) goto again;
  return 0;
}
