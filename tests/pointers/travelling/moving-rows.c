#include <stdio.h>
#include <stdlib.h>
/* 3 levels */
int main(void) {
  int n = 16;
  double **flat = malloc((2*n+1) * sizeof *flat), ***t = malloc(n * sizeof *t);
  for (int i = 0; i <= 2*n; i++) flat[i] = calloc(4, sizeof(double));
  for (int i = 0; i < n; i++) t[i] = flat + (n - i);
  for (int i = 0; i < n; i++) // LOOP for (int i = n-1; i >= 0; i--)
    t[i][i][1] = t[i][i][1] * 0.5 + i;
  printf("%g\n", flat[n][1]);
}
