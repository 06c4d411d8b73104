#include <stdio.h>
static double a[64], b[64];
static double *trip(void *p) {
  char buf[64];
  void *v;
  snprintf(buf, sizeof buf, "%p", p);
  if (sscanf(buf, "%p", &v) != 1) return b;
  return v;
}
static void work(double *q) {
  for (int i = 1; i < 64; i++) // LOOP for (int i = 63; i >= 1; i--)
    q[i] = a[i-1] + 1;
}
int main(int argc, char **argv) {
  work(trip(a));
  printf("%g %g\n", a[63], b[63]);
}
