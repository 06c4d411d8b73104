/* Loops that are not counted by a for: while and do, with a counted loop inside. */
#include <stdio.h>

#define N 50

static double a[N], b[N];

/* counts like a for, but is a while */
static void counted_while(void)
{
  int i = 0;

  while (i < N) {
    b[i] = a[i] + 1.0;
    i++;
  }
}

static int halvings(double x)
{
  int n = 0;

  while (x > 1.0) {
    x = x / 2.0;
    n++;
  }
  return n;
}

/* until the largest change is small; the loops inside are parallel */
static int relax(void)
{
  int steps = 0;
  double change;

  do {
    change = 0.0;
    for (int i = 1; i < N - 1; i++)
      a[i] = 0.5 * (b[i - 1] + b[i + 1]);
    for (int i = 1; i < N - 1; i++) {
      double d = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
      if (d > change)
        change = d;
    }
    for (int i = 1; i < N - 1; i++)
      b[i] = a[i];
    steps++;
  } while (change > 0.5);
  return steps;
}

int main(void)
{
  double sum = 0.0;

  for (int i = 0; i < N; i++)
    a[i] = (double)((i * 37) % 41) + 0.01 * i;
  counted_while();
  int n = halvings(1000.0);
  int steps = relax();
  for (int i = 0; i < N; i++)
    sum += b[i] * (i + 1);
  printf("halvings %d steps %d\nb %.10e\n", n, steps, sum);
  return 0;
}
