/* reg_detect: regularity in an image: the means of tangent sums are added up along diagonals of a triangular grid. */
#include <stdio.h>

#ifndef TSTEPS
#define TSTEPS 10
#endif
#ifndef GRID
#define GRID 24
#endif
#ifndef LENGTH
#define LENGTH 32
#endif

double tangent[GRID][GRID];
double diff[GRID][GRID][LENGTH];
double running[GRID][GRID][LENGTH];
double mean[GRID][GRID];
double path[GRID][GRID];

static void init_arrays(void)
{
  for (int j = 0; j < GRID; j++)
    for (int i = 0; i < GRID; i++) {
      tangent[j][i] = (double)((j + 1) * (i + 2)) / GRID + 0.01 * (j * GRID + i);
      mean[j][i] = 0.0;
      path[j][i] = (double)(j - i) / GRID;
    }
}

static void kernel_reg_detect(void)
{
  for (int t = 0; t < TSTEPS; t++) {
    /* every point of the triangle sees its tangent from LENGTH places */
    for (int j = 0; j < GRID; j++)
      for (int i = j; i < GRID; i++)
        for (int p = 0; p < LENGTH; p++)
          diff[j][i][p] = tangent[j][i] / (1.0 + p + t);
    /* running sums along p; the last one is the mean's */
    for (int j = 0; j < GRID; j++)
      for (int i = j; i < GRID; i++) {
        running[j][i][0] = diff[j][i][0];
        for (int p = 1; p < LENGTH; p++)
          running[j][i][p] = running[j][i][p - 1] + diff[j][i][p];
        mean[j][i] = running[j][i][LENGTH - 1] / LENGTH;
      }
    /* the paths start in row 0 and run down the diagonals: within a row they are independent */
    for (int i = 0; i < GRID; i++)
      path[0][i] = mean[0][i];
    for (int j = 1; j < GRID; j++)
      for (int i = j; i < GRID; i++)
        path[j][i] = path[j - 1][i - 1] + mean[j][i];
  }
}

int main(void)
{
  init_arrays();
  kernel_reg_detect();

  double sum = 0.0;
  for (int j = 0; j < GRID; j++)
    for (int i = 0; i < GRID; i++)
      sum += path[j][i] * (double)((j * GRID + i) % 17 + 1);
  printf("path %.10e\n", sum);
  return 0;
}
