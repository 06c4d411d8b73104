#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
time_t T[100];
int main(void)
{
  for (int i = 0; i < 100; i++) T[i] = i;
  time(&T[3]);
  for (int i = 0; i < 100; i++) T[i] += i;
  printf("%d %d\n", T[3] > 1000, (int)T[4]);
  return 0;
}
