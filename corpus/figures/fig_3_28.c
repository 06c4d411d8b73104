/* Figure 3.28: characterisations that must be over-approximated, and one (by_quarters) that need not. */
#include <stdio.h>
#include <stdlib.h>

static double F[8][8];
static double G[8];
static double H[3];
static double I[8];
static double J[8];

static void triangle(void)
{
  int i, j;

  for (i = 0; i < 8; i++) {
    for (j = 0; j <= i; j++) {
      F[i][j] = 1.0 + i + 0.5 * j;
    }
  }
}

/* the generator has a state, so the order of the calls counts */
static void at_random(void)
{
  int i;

  for (i = 0; i < 8; i++) {
    G[rand() % 8] = i;
  }
}

static void by_quarters(void)
{
  int i;

  for (i = 0; i < 8; i++) {
    I[i] = H[i / 4];
  }
}

static void by_shifted_quarters(void)
{
  int i;

  for (i = 0; i < 8; i++) {
    J[i] = H[(i + 1) / 4];
  }
}

/* several iterations write one cell, and the last one's value stays */
static void written_quarters(void)
{
  int i;

  for (i = 0; i < 8; i++) {
    H[i / 4] = I[i];
    H[(i + 1) / 4] = J[i] + i;
  }
}

int main(void)
{
  double sum_f = 0.0, sum_g = 0.0, sum_i = 0.0, sum_j = 0.0, sum_h = 0.0;

  srand(7);
  for (int k = 0; k < 8; k++)
    G[k] = -1.0;
  for (int k = 0; k < 3; k++)
    H[k] = 2.5 * k + 1.0;
  triangle();
  at_random();
  by_quarters();
  by_shifted_quarters();
  written_quarters();
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      sum_f += F[i][j] * (i * 8 + j + 1);
  for (int i = 0; i < 8; i++) {
    sum_g += G[i] * (i + 1);
    sum_i += I[i] * (i + 1);
    sum_j += J[i] * (i + 1);
  }
  for (int k = 0; k < 3; k++)
    sum_h += H[k] * (k + 1);
  printf("F %.10e\n", sum_f);
  printf("G %.10e\n", sum_g);
  printf("H %.10e\n", sum_h);
  printf("I %.10e\n", sum_i);
  printf("J %.10e\n", sum_j);
  return 0;
}
