#include <stdio.h>
#include <stdlib.h>
static unsigned char get(const void *p, int i) { return ((const unsigned char *)p)[i]; }
static void put(void *p, int i, unsigned char c) { ((unsigned char *)p)[i] = c; }
int main(void) {
  double **rows = malloc(4 * sizeof *rows);
  for (int i = 0; i < 4; i++) { rows[i] = malloc(64 * sizeof(double)); for (int j = 0; j < 64; j++) rows[i][j] = 0; }
  for (int i = 1; i < 4; i++)
    for (int k = 0; k < (int)sizeof *rows; k++) put(&rows[i], k, get(&rows[0], k));
  for (int i = 1; i < 4; i++) // LOOP for (int i = 3; i >= 1; i--)
    for (int j = 1; j < 64; j++)
      rows[i][j] = rows[i][j-1] * 2 + i;
  printf("%g\n", rows[0][5]);
}
