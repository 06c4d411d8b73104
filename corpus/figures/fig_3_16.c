/* Figure 3.16: one computation as a nest of two loops and as a single loop with division and remainder. */
#include <stdio.h>

static double R[8][8];
static double S[64];
static double T[8];

static void two_loops(void)
{
  int i, j;

  for (i = 0; i < 8; i++) {
    for (j = 0; j < 8; j++) {
      S[i * 8 + j] = R[i][j] + T[i];
    }
  }
}

static void one_loop(void)
{
  int k;

  for (k = 0; k < 64; k++) {
    S[k] = R[k / 8][k % 8] + T[k / 8];
  }
}

static void init(double shift)
{
  for (int i = 0; i < 8; i++) {
    T[i] = shift - i;
    for (int j = 0; j < 8; j++)
      R[i][j] = shift + i * 8 + 0.5 * j;
  }
}

static double checksum(void)
{
  double sum = 0.0;

  for (int k = 0; k < 64; k++)
    sum += S[k] * (k + 1);
  return sum;
}

int main(void)
{
  init(1.0);
  two_loops();
  printf("S %.10e\n", checksum());
  init(2.0);
  one_loop();
  printf("S %.10e\n", checksum());
  return 0;
}
