#include <stdio.h>
#include <stdlib.h>
int main(void) {
  double *rows[4] = { [0 ... 3] = malloc(64 * sizeof(double)) };
  for (int j = 0; j < 64; j++) rows[0][j] = 0;
  for (int i = 1; i < 4; i++) // LOOP for (int i = 3; i >= 1; i--)
    for (int j = 1; j < 64; j++)
      rows[i][j] = rows[i][j-1] * 2 + i;
  printf("%g\n", rows[0][5]);
}
