#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define VEC(n) double n[100]
#define LOCALS double a[100] = {0}; double b[100] = {0};
static double f(int t) { VEC(v) = {t}; for (int i = 0; i < 100; i++) v[i] = v[i] + i; return v[4] + v[0]; }
static double g(int t) { LOCALS; a[0] = b[0] = t; for (int i = 0; i < 100; i++) a[i] = a[i] + i;  for (int i = 0; i < 100; i++) b[i] = b[i] + i; return a[4] + b[0] + b[5]; }
int main(void)
{
  for (int t = 0; t < 4; t++) { double x = f(t); printf("%f\n", x); }
  for (int t = 0; t < 4; t++) { double x = g(t); printf("%f\n", x); }
  return 0;
}
