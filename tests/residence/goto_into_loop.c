#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double A[100];
int main(int argc, char **argv)
{
  int k = 3;
  for (int i = 0; i < 100; i++) A[i] += i * argc;
  if (argc) goto mid;
  while (k < 5) {
    k++;
  mid: printf("%f\n", A[k]);
    k++;
  }
  return 0;
}
