#include <stdio.h>
static int f(int *acc, int d) {
  int mine = 1, s = 0;
  if (acc) { *acc = (*acc * 3 + d) % 1000; return *acc; }
  for (int i = 0; i < d; i++) // LOOP for (int i = d-1; i >= 0; i--)
    s += f(&mine, i);
  return s;
}
int main(void) {
  printf("%d\n", f(NULL, 10));
}
