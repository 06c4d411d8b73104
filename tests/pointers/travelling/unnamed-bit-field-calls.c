#include <stdio.h>
static int calls;
static int pure_(int x) { int t; int *p = &t; *p = x; return *p; }
static int dirty(int x) { return x + calls++; }
struct ops { int : 8; int (*f)(int); int (*g)(int); };
static struct ops o = { dirty, pure_ };
int main(void) {
  int x[8];
  for (int i = 0; i < 8; i++) // LOOP for (int i = 7; i >= 0; i--)
    x[i] = o.f(1);
  printf("%d %d\n", x[0], x[7]);
}
