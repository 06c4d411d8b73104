#include <stdio.h>
#include <stdlib.h>
#define N 64
/* an intrusive list: the allocator links its node by the address of a member */
struct link { struct link *next; };
struct item { struct link link; int value[4]; };
static struct link *all;
static struct item *new_item(int v) {
  struct item *it = calloc(1, sizeof *it);
  if (it == NULL) exit(1);
  it->value[0] = v;
  it->link.next = all;
  all = &it->link;
  return it;
}
static int *values;
static double *column(int n) {
  double *c = malloc(n * sizeof *c);
  if (!c) return NULL;
  extern double *newest;
  newest = &c[0];
  return c;
}
double *newest;
static int x[N];
int main(void) {
  double *a = column(N), *b = newest;
  for (int i = 0; i < N; i++) { a[i] = i; x[i] = i ? i - 1 : 0; }
  for (int i = 0; i < N; i++) a[i] = b[x[i]] + 1;  // LOOP
  printf("%g\n", a[N - 1]);
  struct item *it = new_item(3);
  struct item *same = (struct item *)all;
  for (int i = 1; i < 4; i++) it->value[i] = same->value[i - 1] + 1;
  printf("%d\n", it->value[3]);
}
