#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
char B[26];
int main(void)
{
  struct tm a = {0}, b = {0};
  a.tm_year = 100; a.tm_mday = 1; b.tm_year = 110; b.tm_mday = 2;
  char *s = asctime(&a);
  for (int i = 0; i < 25; i++) B[i] = s[i];
  printf("%s", B);
  asctime(&b);
  for (int i = 0; i < 25; i++) B[i] = s[i];
  printf("%s", B);
  return 0;
}
