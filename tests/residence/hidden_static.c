#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct P { double A; };
static double A[100];
static void work(void) { for (int i = 0; i < 100; i++) A[i] += i; }
static double get(int k) { return A[k]; }
int main(void)
{
  struct P A = {2};
  work();
  printf("%f\n", get(3) + A.A);
  return 0;
}
