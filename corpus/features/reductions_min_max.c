/* Minima and maxima: by if, by ?:, by fmin and fmax; int, float, double; with the place where they are. */
#include <stdio.h>

#include <math.h>

#define N 77

static int n[N];
static float f[N];
static double d[N];

static int max_by_if(void)
{
  int m = n[0];

  for (int i = 1; i < N; i++)
    if (n[i] > m)
      m = n[i];
  return m;
}

static float min_by_choice(void)
{
  float m = f[0];

  for (int i = 1; i < N; i++)
    m = f[i] < m ? f[i] : m;
  return m;
}

static double max_by_choice(void)
{
  double m = d[0];

  for (int i = 1; i < N; i++)
    m = m > d[i] ? m : d[i];
  return m;
}

static double max_by_call(void)
{
  double m = d[0];

  for (int i = 1; i < N; i++)
    m = fmax(m, d[i]);
  return m;
}

static double min_by_call(void)
{
  double m = d[0];

  for (int i = 1; i < N; i++)
    m = fmin(m, d[i]);
  return m;
}

/* the first place of the maximum */
static int place_of_max(void)
{
  double m = d[0];
  int place = 0;

  for (int i = 1; i < N; i++)
    if (d[i] > m) {
      m = d[i];
      place = i;
    }
  return place;
}

int main(void)
{
  for (int i = 0; i < N; i++) {
    n[i] = (i * 31) % 71 - 20;
    f[i] = (float)((i * 17) % 53) - 9.5f;
    d[i] = (double)((i * 23 + 30) % 67) + 0.001 * i + 1.0;
  }
  printf("%d %.6e %.10e\n", max_by_if(), min_by_choice(), max_by_choice());
  printf("%.10e %.10e %d\n", max_by_call(), min_by_call(), place_of_max());
  return 0;
}
