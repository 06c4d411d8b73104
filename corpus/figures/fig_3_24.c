/* Figure 3.24: three ways to read the first 64 elements of X. */
#include <stdio.h>

static double X[64];
static double Y[8][8];
static double Z[64];

static void two_loops(void)
{
  int i, j;

  for (i = 0; i < 8; i++) {
    for (j = 0; j < 8; j++) {
      Y[i][j] = X[i * 8 + j] + X[j * 8 + i];
    }
  }
}

static void one_loop(void)
{
  int k;

  for (k = 0; k < 64; k++) {
    Z[k] = X[k];
  }
}

int main(void)
{
  double sum_y = 0.0, sum_z = 0.0;

  for (int k = 0; k < 64; k++)
    X[k] = 1.5 * k + 0.01 * k * k;
  two_loops();
  one_loop();
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      sum_y += Y[i][j] * (i * 8 + j + 1);
  for (int k = 0; k < 64; k++)
    sum_z += Z[k] * (k + 1);
  printf("Y %.10e\n", sum_y);
  printf("Z %.10e\n", sum_z);
  return 0;
}
