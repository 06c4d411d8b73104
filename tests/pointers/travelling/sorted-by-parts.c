/* qsort takes the members of structures for elements: pointers come to be others' members */
#include <stdio.h>
#include <stdlib.h>
#define N 64
static int out[N];
struct two { int *a; int *b; };
static struct two t[N];
static int cmpp(const void *x, const void *y) { int *const *a = x, *const *b = y; return (**a > **b) - (**a < **b); }
int main(void) {
  static int x;
  for (int i = 0; i < N; i++) { t[i].a = &x; t[i].b = malloc(sizeof(int)); *t[i].b = i - 5; }
  qsort(t, 2 * N, sizeof(int *), cmpp);
  /* LOOP */
  for (int i = 0; i < N; i++) { x = i; *t[i].b = 3; out[i] = x; }
  printf("%d %d\n", out[10], out[40]);
  return 0;
}
