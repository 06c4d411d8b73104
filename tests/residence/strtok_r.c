#include <stdio.h>
#include <stdlib.h>
#include <string.h>
char buf[100] = "hello brave new world";
int main(void)
{
  char *save, *s = strtok_r(buf, " ", &save);
  printf("%s\n", s);
  for (int i = 0; i < 99; i++) buf[i] = buf[i] == 'e' ? 'E' : buf[i];
  s = strtok_r(NULL, " ", &save);
  printf("%s\n", s);
  for (int i = 0; i < 99; i++) buf[i] = buf[i] == 'w' ? ' ' : buf[i];
  s = strtok_r(NULL, " ", &save);
  printf("%s\n", s);
  return 0;
}
