/* Figure 3.23: a nest and the same in tiles of 2 by 2. */
#include <stdio.h>

static double E[8][8];

static void plain(void)
{
  int i, j;

  for (i = 0; i < 8; i++)
    for (j = 0; j < 8; j++)
      E[i][j] = 0;
}

static void tiled(void)
{
  int i, j, ii, jj;

  for (i = 0; i < 8; i = i + 2)
    for (j = 0; j < 8; j = j + 2)
      for (ii = 0; ii < 2; ii++)
        for (jj = 0; jj < 2; jj++)
          E[i + ii][j + jj] = 0;
}

static void fill(void)
{
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      E[i][j] = 1.0 + i + 0.1 * j;
}

static double checksum(void)
{
  double sum = 1.0;

  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      sum += E[i][j] * (i * 8 + j + 1);
  return sum;
}

int main(void)
{
  fill();
  printf("E %.10e\n", checksum());
  plain();
  printf("E %.10e\n", checksum());
  fill();
  tiled();
  printf("E %.10e\n", checksum());
  return 0;
}
