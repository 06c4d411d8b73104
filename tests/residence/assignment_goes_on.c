#include <stdio.h>
#include <stdlib.h>
static double *made;
static double *make(int n) {
  double *p = NULL, *r;
  r = p = malloc(n * sizeof *p);
  for (int i = 0; i < n; i++) p[i] = i * 1.5;
  return r;
}
int main(void) {
  made = make(100);
  printf("%f\n", made[7]);
  return 0;
}
