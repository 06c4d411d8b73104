/* Sums and products: int, float and double, in several spellings, also under a condition and over two loops. */
#include <stdio.h>

#define N 64

static int n[N];
static float f[N];
static double d[N], m[N][N];

static int sum_int(void)
{
  int s = 5;

  for (int i = 0; i < N; i++)
    s += n[i];
  return s;
}

static float sum_float(void)
{
  float s = 0.0f;

  for (int i = 0; i < N; i++)
    s = s + f[i];
  return s;
}

static double difference(void)
{
  double s = 100.0;

  for (int i = 0; i < N; i++)
    s -= d[i];
  return s;
}

static double product(void)
{
  double p = 1.0;

  for (int i = 0; i < N; i++)
    p *= 1.0 + d[i] / 100.0;
  return p;
}

static int product_int(void)
{
  int p = 1;

  for (int i = 0; i < 12; i++)
    p = p * ((n[i] + 7) % 3 + 1);
  return p;
}

static double sum_of_positive(void)
{
  double s = 0.0;

  for (int i = 0; i < N; i++)
    if (d[i] > 1.0)
      s += d[i];
  return s;
}

static double sum_of_matrix(void)
{
  double s = 0.0;

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      s += m[i][j] * d[j];
  return s;
}

static void two_at_once(double *sum, double *squares)
{
  double s = 0.0, q = 0.0;

  for (int i = 0; i < N; i++) {
    s += d[i];
    q += d[i] * d[i];
  }
  *sum = s;
  *squares = q;
}

int main(void)
{
  double s, q;

  for (int i = 0; i < N; i++) {
    n[i] = (i * 29) % 31 - 7;
    f[i] = 0.5f * (float)i;
    d[i] = (double)((i * 5) % 13) / 4.0 + 0.001 * i;
    for (int j = 0; j < N; j++)
      m[i][j] = i - 0.5 * j;
  }
  printf("%d %.6e %.10e\n", sum_int(), sum_float(), difference());
  printf("%.10e %d\n", product(), product_int());
  printf("%.10e %.10e\n", sum_of_positive(), sum_of_matrix());
  two_at_once(&s, &q);
  printf("%.10e %.10e\n", s, q);
  return 0;
}
