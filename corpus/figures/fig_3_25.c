/* Figure 3.25: by rows, by columns, and along the diagonal. */
#include <stdio.h>

static double A[8][8];
static double B[8][8];
static double C[8][8];
static double D[8][8];
static double d[8];

static void rows_and_columns(void)
{
  int i, j;

  for (i = 0; i < 8; i++) {
    for (j = 0; j < 8; j++) {
      D[i][j] = A[i][j] + B[j][i];
    }
  }
}

static void diagonal(void)
{
  int i;

  for (i = 0; i < 8; i++) {
    d[i] = C[i][i];
  }
}

int main(void)
{
  double sum_2 = 0.0, sum_1 = 0.0;

  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) {
      A[i][j] = 1.0 + i * 8 + j;
      B[i][j] = 0.5 * i - 3.0 * j;
      C[i][j] = 0.1 * i * i + j;
    }
  rows_and_columns();
  diagonal();
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < 8; j++)
      sum_2 += D[i][j] * (i * 8 + j + 1);
    sum_1 += d[i] * (i + 1);
  }
  printf("D %.10e\n", sum_2);
  printf("d %.10e\n", sum_1);
  return 0;
}
