/* Scalars whose value of the last iteration is used after the loop; also the iterator itself. */
#include <stdio.h>

#define N 50

static double a[N], b[N];

static double last_value(void)
{
  double t = 0.0;

  for (int i = 0; i < N; i++) {
    t = a[i] * a[i];
    b[i] = t + 1.0;
  }
  return t;
}

static int final_iterator(void)
{
  int i;

  for (i = 0; i < N; i++)
    b[i] = b[i] - a[i];
  return i;
}

/* the value of the last iteration that met the condition: the order counts */
static double conditional_last(void)
{
  double t = -1.0;

  for (int i = 0; i < N; i++)
    if (a[i] > 20.0)
      t = a[i];
  return t;
}

int main(void)
{
  double sum = 0.0;

  for (int i = 0; i < N; i++)
    a[i] = (double)((i * 13) % 29) + 0.01 * i;
  double value = last_value();
  int end = final_iterator();
  double chosen = conditional_last();
  for (int i = 0; i < N; i++)
    sum += b[i] * (i + 1);
  printf("b %.10e\nlast %.10e\nend %d\nchosen %.10e\n", sum, value, end, chosen);
  return 0;
}
