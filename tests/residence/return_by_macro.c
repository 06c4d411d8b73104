#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define CHK(c) do { if (c) return -1; } while (0)
static double f(int t)
{
  double a[100] = {t}, s = 0;
  for (int i = 0; i < 100; i++) a[i] = a[i] + i;
  CHK(t == 1);
  for (int k = 0; k < 4; k++) s += a[k];
  return s;
}
static double noise(int k) { double v[300]; for (int i = 0; i < 300; i++) v[i] = i + k; return v[299]; }
int main(void)
{
  for (int t = 1; t < 4; t++) { double x = f(t & 1); printf("%f\n", x); x = f(t); printf("%f\n", x); x = noise(t); printf("%f\n", x); }
  return 0;
}
