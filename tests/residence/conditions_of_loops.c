/* Loops around kernels whose conditions read what kernels write. */
#include <stdio.h>
#include <stdlib.h>
#define N 200
#define MORE err[1] > 1e-3
#define UNTIL(x) while (x)
static double a[N], b[N], err[4], *p;
static struct { double x[3]; int n; } s = {{1, 9, 3}, 2}, *sp = &s;
static double first(void) { return a[1]; }

static int relax(double eps, const int *at)
{
  int k = 0;
  err[0] = 1;
  while (err[0] > eps) {
    for (int i = 1; i < N - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    double sum = 0;
    for (int i = 1; i < N - 1; i++) sum += (b[i] - a[i]) * (b[i] - a[i]);
    err[0] = sum, k++;
    if (k % 7 == 0) continue;
    for (int i = 1; i < N - 1; i++) a[i] = b[i];
  }
  do {
    for (int i = 0; i < 4; i++) err[i] = err[i] * 0.5;
    k++;
  } while (/* (still */ MORE && k < 300);
  for (int i = 0; a[i] < 3 && i < 9; i++)
    for (int j = 0; j < N; j++) a[j] = a[j] + 0.01;
  for (int i = 0; i < 3 && a[at[i]] < 4; i++)
    for (int j = 0; j < N; j++) a[j] = a[j] + 0.01;
  while (p != NULL && p[3] > 1)
    for (int j = 0; j < N; j++) p[j] = p[j] * 0.5;
  return k;
}

/* No place to ask in these. */
static void others(void)
{
  for (; sp && sp->x[1] > 2; sp->x[1] -= 1)
    for (int j = 0; j < N; j++) a[j] = a[j] * 1.01;
  UNTIL (err[2] < 1)
    for (int i = 0; i < 4; i++) err[i] = err[i] + 0.3;
  while (err[3]++ < 9)
    for (int i = 0; i < 4; i++) err[i] = err[i] + 0.5;
  while (first() < 5)
    for (int j = 0; j < N; j++) a[j] = a[j] + 0.7;
}

int main(void)
{
  const int at[3] = {5, 7, 199};
  a[0] = 1, a[N - 1] = 2, err[1] = 5;
  p = malloc(N * sizeof *p);
  for (int j = 0; j < N; j++) p[j] = j;
  int k = relax(0.001, at);
  others();
  printf("%d %f %f %f %f %f\n", k, a[N / 2], err[0], err[3], s.x[1], p[3]);
  free(p);
  p = NULL;
  printf("%d %f\n", relax(0.001, at), a[3]);
  return 0;
}
