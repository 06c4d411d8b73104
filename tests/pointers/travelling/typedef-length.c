#include <stdio.h>
static int counter;
static int f(int *p, int d) { typedef int T[++counter]; int t; int *pt = &t; *pt = sizeof(T); if (d > 3) return f(p, d - 1); return *p + *pt; }
int main(void) {
  int x[8], k = 1;
  for (int i = 0; i < 8; i++) // LOOP for (int i = 7; i >= 0; i--)
    x[i] = f(&k, 0);
  printf("%d %d\n", x[0], x[7]);
}
