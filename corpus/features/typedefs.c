/* Element types behind typedefs, of a scalar, of an array and of an iterator. */
#include <stdio.h>

#define N 32

typedef double real;
typedef int index_t;
typedef real row_t[N];

static row_t a[N], b[N];
static real v[N];

static void combine(real factor)
{
  index_t i, j;

  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      b[i][j] = factor * a[j][i];
}

static void diagonal(row_t *restrict m, real *restrict d)
{
  for (index_t i = 0; i < N; i++)
    d[i] = m[i][i];
}

int main(void)
{
  real sum_b = 0.0, sum_v = 0.0;

  for (index_t i = 0; i < N; i++)
    for (index_t j = 0; j < N; j++)
      a[i][j] = i * 0.5 - j;
  combine(1.5);
  diagonal(b, v);
  for (index_t i = 0; i < N; i++) {
    sum_v += v[i] * (i + 1);
    for (index_t j = 0; j < N; j++)
      sum_b += b[i][j] * (i * N + j + 1);
  }
  printf("b %.10e\nv %.10e\n", sum_b, sum_v);
  return 0;
}
