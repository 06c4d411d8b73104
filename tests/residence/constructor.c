#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double A[100];
__attribute__((constructor)) static void init(void) { for (int i = 0; i < 100; i++) A[i] = i + 1; }
__attribute__((destructor)) static void done(void) { printf("end %f\n", A[5]); }
int main(void)
{
  printf("%f\n", A[3]);
  for (int i = 0; i < 100; i++) A[i] += i + 1;
  return 0;
}
