#include <stdio.h>
static int out[2];
static int g(int d, int *junk);
static int f(int *acc, int d) { *acc = (*acc * 3 + d) % 1000; if (d > 100) g(d - 1, acc); return *acc; }
static int g(int d, int *junk) {
  int y = 1, s = 0;
  for (int i = 0; i < d; i++) // LOOP for (int i = d-1; i >= 0; i--)
    s += f(&y, i);
  return s;
}
int main(void) {
  int z = 0;
  out[0] = g(10, &z);
  printf("%d\n", out[0]);
}
