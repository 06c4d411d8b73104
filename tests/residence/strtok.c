#include <stdio.h>
#include <stdlib.h>
#include <string.h>
char buf[100] = "hello brave new world";
int main(void)
{
  char *s = strtok(buf, " ");
  printf("%s\n", s);
  for (int i = 6; i < 99; i++) buf[i] = buf[i] == 'e' ? 'E' : buf[i];
  s = strtok(NULL, " ");
  printf("%s\n", s);
  for (int i = 6; i < 99; i++) buf[i] = buf[i] == 'w' ? ' ' : buf[i];
  s = strtok(NULL, " ");
  printf("%s\n", s);
  return 0;
}
