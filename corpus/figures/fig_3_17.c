/* Figure 3.17 (and 3.22): the product of a matrix and a vector. */
#include <stdio.h>

static double M[32][64];
static double v[64];
static double r[32];

static void figure(void)
{
  int i, j;

  for (i = 0; i < 32; i++) {
    r[i] = 0;
    for (j = 0; j < 64; j++) {
      r[i] += M[i][j] * v[j];
    }
  }
}

int main(void)
{
  double sum = 0.0;

  for (int i = 0; i < 32; i++)
    for (int j = 0; j < 64; j++)
      M[i][j] = (double)(i * 64 + j) / 2048.0;
  for (int j = 0; j < 64; j++)
    v[j] = 1.0 - j / 32.0;
  figure();
  for (int i = 0; i < 32; i++)
    sum += r[i] * (i + 1);
  printf("r %.10e\n", sum);
  return 0;
}
