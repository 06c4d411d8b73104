#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct S { int a, b[20]; };
int A[100];
int main(void)
{
  register struct S s, t = {1, {2, 3}};
  for (int i = 0; i < 100; i++) A[i] += i;
  s = t;
  printf("%d %d %d\n", A[3], s.a, s.b[1]);
  return 0;
}
