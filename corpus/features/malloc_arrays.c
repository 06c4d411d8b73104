/* Arrays from the heap: flat, with symbolic sizes, and with row pointers; different allocations do not overlap. */
#include <stdio.h>

#include <stdlib.h>

#ifndef ROWS
#define ROWS 30
#endif
#ifndef COLS
#define COLS 40
#endif

int main(void)
{
  int n = ROWS, m = COLS;
  double *a = malloc(sizeof(double) * n * m);
  double *b = malloc(sizeof(double) * n * m);
  double *col = calloc(m, sizeof(double));
  double **rows = malloc(sizeof(double *) * n);
  double sum_b = 0.0, sum_col = 0.0, sum_rows = 0.0;
  if (a == NULL || b == NULL || col == NULL || rows == NULL)
    return 1;

  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * m + j] = 0.5 * i + 0.01 * j * j;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      b[i * m + j] = 2.0 * a[i * m + j] + 1.0;
  /* row pointers into b */
  for (int i = 0; i < n; i++)
    rows[i] = b + i * m;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      col[j] += a[i * m + j];

  for (int i = 0; i < n * m; i++)
    sum_b += b[i] * (i + 1);
  for (int j = 0; j < m; j++)
    sum_col += col[j] * (j + 1);
  for (int i = 0; i < n; i++)
    sum_rows += rows[i][i % m] * (i + 1);
  printf("b %.10e\ncol %.10e\nrows %.10e\n", sum_b, sum_col, sum_rows);
  free(a);
  free(b);
  free(col);
  free(rows);
  return 0;
}
