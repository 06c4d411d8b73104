#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
int main(void) {
  double **rows = malloc(4 * sizeof *rows);
  for (int i = 0; i < 4; i++) { rows[i] = malloc(64 * sizeof(double)); for (int j = 0; j < 64; j++) rows[i][j] = 0; }
  char buf[sizeof *rows];
  bcopy(&rows[0], buf, sizeof buf);
  for (int i = 1; i < 4; i++) memcpy(&rows[i], buf, sizeof buf);
  for (int i = 1; i < 4; i++) // LOOP for (int i = 3; i >= 1; i--)
    for (int j = 1; j < 64; j++)
      rows[i][j] = rows[i][j-1] * 2 + i;
  printf("%g\n", rows[0][5]);
}
