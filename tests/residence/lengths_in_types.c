#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int A[100];
int main(void)
{
  for (int i = 0; i < 100; i++) A[i] += i;
  int x = sizeof(char[A[3]]);
  printf("%d\n", x);
  for (int i = 0; i < 100; i++) A[i] += i;
  typedef int row[A[4]];
  printf("%d\n", (int)sizeof(row));
  return 0;
}
