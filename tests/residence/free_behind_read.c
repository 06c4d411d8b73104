#include <stdio.h>
#include <stdlib.h>
static void finish(double *p) { printf("%f\n", p[3]); free(p); }
int main(void)
{
  double *p = malloc(100 * sizeof(double));
  for (int i = 0; i < 100; i++) p[i] = i * 2.0;
  finish(p);
  return 0;
}
