#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double A[100];
static void show(int k)
{
  if (k) goto lab;
  k = 2;
  printf("%f\n", A[k]);
lab:
  printf("%f\n", A[k]);
}
int main(int argc, char **argv)
{
  int k = 3;
  for (int i = 0; i < 100; i++) A[i] = i * argc;
  show(1);
  for (int i = 0; i < 100; i++) A[i] += i * argc;
  if (argc) goto lab;
  k = 4;
lab: printf("%f\n", A[k]);
  return 0;
}
