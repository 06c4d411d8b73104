#include <stdio.h>
#include <stdlib.h>
struct B { double *data; int n; };
int main(void) {
  int n = 16;
  struct B *base = malloc((2*n+1) * sizeof *base);
  struct B **tab = malloc(n * sizeof *tab);
  for (int i = 0; i <= 2*n; i++) { base[i].data = malloc(4 * sizeof(double)); base[i].data[0] = i; }
  for (int i = 0; i < n; i++) tab[i] = base + (n - i);
  for (int i = 0; i < n; i++) // LOOP for (int i = n-1; i >= 0; i--)
    tab[i][i].data[0] = tab[i][i].data[0] * 3 + i;
  printf("%g\n", base[n].data[0]);
}
