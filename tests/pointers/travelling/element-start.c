#include <stdio.h>
struct S { double h; double v[8]; };
static struct S arr[16];
static void work(struct S *s, double *p) {
  for (int i = 0; i < 16; i++) // LOOP for (int i = 15; i >= 0; i--)
    s[i].v[0] = p[0] + i;
}
int main(void) {
  double *p = &arr[4].v[0];
  work(arr, p);
  printf("%g %g\n", arr[2].v[0], arr[9].v[0]);
}
