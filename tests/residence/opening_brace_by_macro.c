#include <stdio.h>
#define BEGIN {
static double A[100];
static void k(void)
{
  for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i;
}
static void look(int n)
BEGIN
again:
  printf("%g\n", A[3]);
  if (n-- > 0) goto again;
}
int main(void)
{
  k();
  look(2);
  k();
  look(1);
  return 0;
}
