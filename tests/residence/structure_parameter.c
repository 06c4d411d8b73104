#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct S { double a[100]; };
double B[100];
static void inc(double *p) { for (int i = 0; i < 100; i++) p[i] = p[i] + i; }
static void g(struct S s)
{
  inc(s.a);
  printf("%f\n", s.a[2]);
}
static void noise(int n) { double v[200]; for (int i = 0; i < 200; i++) v[i] = n * i; printf("%f\n", v[n]); }
int main(void)
{
  struct S s = {{1, 2, 3}};
  for (int i = 0; i < 100; i++) B[i] = i;
  for (int t = 0; t < 4; t++) {
    s.a[2] = t;
    g(s);
    noise(t);
  }
  return 0;
}
