#include <stdio.h>
#include <stdlib.h>
#define N 64
static double *newest;
static void bzero(void *p, unsigned long n) { newest = p; for (unsigned long i = 0; i < n; i++) ((char *)p)[i] = 0; }
static double *column(int n) {
  double *c = malloc(n * sizeof *c);
  if (!c) return NULL;
  bzero(c, n * sizeof *c);
  return c;
}
static int x[N];
int main(void) {
  double *a = column(N), *b = newest;
  for (int i = 0; i < N; i++) { a[i] = i; x[i] = i ? i - 1 : 0; }
  for (int i = 0; i < N; i++) a[i] = b[x[i]] + 1;  // LOOP
  printf("%g\n", a[N - 1]);
}
