#include <stdio.h>
#include <stdlib.h>
static char *rest;
static long parse(void) {
  char *p = calloc(200, 1);
  for (int i = 0; i < 100; i++) p[i] = i < 5 ? '1' : 'x';
  long v = strtol(p, &rest, 10);
  for (int i = 0; i < 100; i++) p[i] = p[i] + 1;
  return v;
}
int main(void) {
  long v = parse();
  printf("%ld %c\n", v, rest[1]);
  return 0;
}
