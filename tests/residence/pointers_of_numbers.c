#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
char buf[64] = "hello"; double A[100];
int main(void)
{
  uintptr_t at = (uintptr_t)buf; double d[2];
  for (int i = 0; i < 5; i++) buf[i] = buf[i] + 1;
  for (int i = 0; i < 100; i++) A[i] = i;
  printf("%s\n", (char *)(at + 2));
  for (int i = 0; i < 5; i++) buf[i] = buf[i] + 1;
  puts((char *)at);
  memcpy(d, (void *)(((uintptr_t)A + 15) & ~(uintptr_t)15), sizeof d);
  printf("%f\n", d[1]);
  memset((void *)at, 'x', 2);
  for (int i = 0; i < 5; i++) buf[i] = buf[i] + 1;
  printf("%s\n", buf);
  return 0;
}
