#include <stdio.h>
#include <string.h>
static double a[128];
struct S { double *p; int *k; };
static int off;
static void bump(void *cell) { **(int **)cell += 1; }
int main(void) {
  static int other;
  struct { int *k; } s = { &other };
  void *v = &s;
  int **kk = v;
  *kk = &off;
  int k = off;
  *s.k += 1;
  for (int i = 0; i < 32; i++) // LOOP for (int i = 31; i >= 0; i--)
    a[i + off] = a[i + k] * 2 + 1;
  printf("%g\n", a[32]);
}
