#include <stdio.h>
static int counter;
static int f(void *p, int d) { int t; int *pt = &t; *pt = (*(int (*)[++counter])p)[0];  if (d > 3) return f(p, d - 1); return *pt + (int)sizeof(*(int (*)[counter])p); }
int main(void) {
  int x[8], m[64] = {1};
  for (int i = 0; i < 8; i++) // LOOP for (int i = 7; i >= 0; i--)
    x[i] = f(m, 0);
  printf("%d %d\n", x[0], x[7]);
}
