/* Trap: several iterations write one cell. */
#include <stdio.h>

#define N 40
#define M 30

static double A[N][M], B[M], last[M], cell[1];

/* all rows add to one B: parallel over i only with a reduction over the array */
static void column_sums(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      B[j] += A[i][j];
}

/* all rows write last; the bottom one's values stay */
static void bottom_row(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      last[j] = A[i][j];
}

static void one_cell(void)
{
  for (int i = 0; i < N; i++)
    cell[0] = A[i][3];
}

/* no reduction: the order of subtraction from the other side counts */
static void alternating(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      B[j] = A[i][j] - B[j];
}

int main(void)
{
  double sum_b = 0.0, sum_l = 0.0;

  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      A[i][j] = (double)((i * 7 + j * 5) % 17) + 0.01 * i;
  column_sums();
  bottom_row();
  one_cell();
  alternating();
  for (int j = 0; j < M; j++) {
    sum_b += B[j] * (j + 1);
    sum_l += last[j] * (j + 1);
  }
  printf("B %.10e\nlast %.10e\ncell %.10e\n", sum_b, sum_l, cell[0]);
  return 0;
}
