#include <stdio.h>
#include <stddef.h>
static double a[64], b[64];
struct S { int n; double *p; };
int main(void) {
  struct S s;
  s.n = 64; s.p = b;
  char *c = (char *)&s;
  *(double **)(c + offsetof(struct S, p)) = a;
  for (int i = 1; i < s.n; i++) // LOOP for (int i = s.n-1; i >= 1; i--)
    s.p[i] = a[i-1] + 1;
  printf("%g %g\n", a[63], b[63]);
}
