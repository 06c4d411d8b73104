/* Scalars that every iteration writes before it reads them, declared outside, inside, and in an inner loop. */
#include <stdio.h>

#define N 64

static double a[N], b[N], c[N][N];

static void declared_outside(void)
{
  double t, u;

  for (int i = 0; i < N; i++) {
    t = a[i] + 1.0;
    u = t * t;
    b[i] = u - t;
  }
}

static void declared_inside(void)
{
  for (int i = 0; i < N; i++) {
    double t = a[i];
    for (int j = 0; j < N; j++) {
      double u = t + j;
      c[i][j] = u * 0.5;
    }
  }
}

/* both branches write t */
static void both_branches(void)
{
  double t;

  for (int i = 0; i < N; i++) {
    if (a[i] > 0.5)
      t = a[i];
    else
      t = -a[i];
    b[i] += t;
  }
}

/* t keeps the value of an earlier iteration when the condition fails */
static void one_branch(void)
{
  double t = 0.0;

  for (int i = 0; i < N; i++) {
    if (a[i] > 0.5)
      t = a[i];
    b[i] += t;
  }
}

int main(void)
{
  double sum_b = 0.0, sum_c = 0.0;

  for (int i = 0; i < N; i++)
    a[i] = (double)((i * 7) % 11) / 11.0 + 0.001 * i;
  declared_outside();
  declared_inside();
  both_branches();
  one_branch();
  for (int i = 0; i < N; i++) {
    sum_b += b[i] * (i + 1);
    for (int j = 0; j < N; j++)
      sum_c += c[i][j] * (i * N + j + 1);
  }
  printf("b %.10e\nc %.10e\n", sum_b, sum_c);
  return 0;
}
