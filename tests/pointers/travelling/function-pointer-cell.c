#include <stdio.h>
static int count;
struct ops { void *ctx; int (*f)(void *); };
static int nothing(void *c) { int t; int *p = &t; *p = 1; return *p; }
static int counting(void *c) { return ++count; }
static void install(void *where) { int (**slot)(void *) = where; *slot = counting; }
int main(void) {
  struct { int (*f)(void *); void *ctx; } o = { nothing, NULL };
  int x[8];
  install(&o);
  for (int i = 0; i < 8; i++) // LOOP for (int i = 7; i >= 0; i--)
    x[i] = o.f(o.ctx);
  printf("%d %d\n", x[0], x[7]);
}
