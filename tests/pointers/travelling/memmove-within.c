#include <stdio.h>
#include <string.h>
static double a[64], b[64];
struct S { double *p, *q; };
static void work(struct S s) {
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    s.p[i] = a[i-1] + 1;
}
int main(void) {
  struct S s = { b, a };
  memmove(&s, (char *)&s + sizeof(double *), sizeof(double *));
  work(s);
  printf("%g %g\n", a[63], b[63]);
}
