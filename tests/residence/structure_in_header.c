#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct S { double a[100]; };
double B[100];
static void inc(double *p) { for (int i = 0; i < 100; i++) p[i] = p[i] + i; }
int main(void)
{
  for (int t = 0; t < 3; t++)
  for (struct S s = {{t, 2, 3}}, *q = &s; q; q = NULL) {
    inc(s.a);
    printf("%f\n", s.a[0] + s.a[2]);
  }
  return 0;
}
