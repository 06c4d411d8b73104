/* Nests with statements between the loops. */
#include <stdio.h>

#define N 40

static double a[N][N], head[N], tail[N], carry[N];

/* a statement before, one after, and two inner loops */
static void around(void)
{
  for (int i = 0; i < N; i++) {
    head[i] = i * 0.5;
    for (int j = 0; j < N; j++)
      a[i][j] = head[i] + j;
    for (int j = 1; j < N; j++)
      a[i][j] += a[i][j - 1];
    tail[i] = a[i][N - 1];
  }
}

/* the statement between the loops carries from row to row; the inner loop does not */
static void carried_between(void)
{
  for (int i = 1; i < N; i++) {
    carry[i] = carry[i - 1] * 0.5 + tail[i];
    for (int j = 0; j < N; j++)
      a[i][j] -= carry[i];
  }
}

/* a loop under a condition */
static void guarded(void)
{
  for (int i = 0; i < N; i++)
    if (tail[i] > 100.0) {
      for (int j = 0; j < N; j++)
        a[i][j] *= 0.25;
    }
}

int main(void)
{
  double sum_a = 0.0, sum_c = 0.0;

  carry[0] = 1.0;
  around();
  carried_between();
  guarded();
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      sum_a += a[i][j] * (i * N + j + 1);
    sum_c += carry[i] * (i + 1);
  }
  printf("a %.10e\ncarry %.10e\n", sum_a, sum_c);
  return 0;
}
