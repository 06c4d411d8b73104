#include "k7_kernels.h"

#include <stdio.h>
#include <stdlib.h>
enum { ROWS = 12, COLUMNS = 9 };
typedef struct { int n; double *x, *y; double scale; } vec;
typedef struct { int w, h; double cells[ROWS][COLUMNS]; } grid;
struct owner { grid *g; vec v; unsigned bits : 3; };
static grid board;
static vec one;
static void f(vec *v) {
        for (int i = 0; i < board.w; i++)
            for (int j = 0; j < COLUMNS; j++) board.cells[i][j] = v->x[i] + j; }
int main(void) {
  vec v[2] = {{20, malloc(160), malloc(160), 1.5}, {3, malloc(160), malloc(160), 2}};
  for (int k = 0; k < 2; k++) for (int i = 0; i < 20; i++) { v[k].x[i] = i + k; v[k].y[i] = 2 * i; }
  board.w = ROWS; board.h = COLUMNS;
  f(v);
  double sum = v->scale + v[1].y[0];
  for (int i = 0; i < 20; i++) sum = 2 * sum + v->y[i];
  for (int i = 0; i < ROWS * COLUMNS; i++) sum = 3 * sum + board.cells[i / COLUMNS][i % COLUMNS];
  printf("%.17g\n", sum);
  free(v[0].x); free(v[0].y); free(v[1].x); free(v[1].y);
  return 0;
}
