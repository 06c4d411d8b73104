#include <stdio.h>
#include <stdlib.h>
#include <string.h>
char buf[100];
int main(void)
{
  FILE *f = fmemopen(buf, 100, "w");
  fprintf(f, "hello\n");
  fflush(f);
  for (int i = 0; i < 100; i++) buf[i] = buf[i] == 'e' ? 'E' : buf[i];
  fprintf(f, "there");
  fflush(f);
  for (int i = 0; i < 100; i++) buf[i] = buf[i] == 'o' ? 'O' : buf[i];
  printf("%s\n", buf);
  fclose(f);
  return 0;
}
