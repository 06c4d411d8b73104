/* Histograms: a reduction into the elements of an array, at places that only the data know. */
#include <stdio.h>

#define N 500
#define BINS 16

static int idx[N], h[BINS];
static double weight[N], g[BINS];

static void count(void)
{
  for (int i = 0; i < N; i++)
    h[idx[i]]++;
}

static void weigh(void)
{
  for (int i = 0; i < N; i++)
    g[idx[i]] += weight[i];
}

int main(void)
{
  int sum_h = 0;
  double sum_g = 0.0;

  for (int i = 0; i < N; i++) {
    idx[i] = (i * i + 3 * i) % BINS;
    weight[i] = 1.0 / (i + 1);
  }
  count();
  weigh();
  for (int b = 0; b < BINS; b++) {
    sum_h += h[b] * (b + 1);
    sum_g += g[b] * (b + 1);
  }
  printf("h %d\ng %.10e\n", sum_h, sum_g);
  return 0;
}
