#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct S { double a[100]; };
double B[100];
static struct S get(int t) { struct S s; for (int i = 0; i < 100; i++) s.a[i] = t; return s; }
static double sum(const double *p) { double s = 0; for (int i = 0; i < 100; i++) s += p[i]; return s; }
int main(void)
{
  for (int t = 0; t < 3; t++) {
    double x = sum(get(t).a);
    printf("%f\n", x);
  }
  return 0;
}
