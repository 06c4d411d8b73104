/* Indirect writes: two entries of idx may be equal (here they are), so the order counts: serial. */
#include <stdio.h>

#define N 120

static int idx[N];
static double in[N], out[N], ring[N];

static void scatter(void)
{
  for (int i = 0; i < N; i++)
    out[idx[i]] = in[i];
}

/* reads and writes through one index */
static void update(void)
{
  for (int i = 0; i < N; i++)
    ring[idx[i]] = 0.5 * ring[idx[i]] + in[i];
}

int main(void)
{
  double sum_o = 0.0, sum_r = 0.0;

  for (int i = 0; i < N; i++) {
    idx[i] = (i * i) % 50;
    in[i] = 0.25 * i + 1.0;
    out[i] = -i;
    ring[i] = i;
  }
  scatter();
  update();
  for (int i = 0; i < N; i++) {
    sum_o += out[i] * (i + 1);
    sum_r += ring[i] * (i + 1);
  }
  printf("out %.10e\nring %.10e\n", sum_o, sum_r);
  return 0;
}
