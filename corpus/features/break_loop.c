/* Loops that end early: how far they come depends on the data, so they are serial. */
#include <stdio.h>

#define N 90

static double a[N], b[N];

static int find(double value)
{
  int place = -1;

  for (int i = 0; i < N; i++)
    if (a[i] > value) {
      place = i;
      break;
    }
  return place;
}

static void copy_until(double stop)
{
  for (int i = 0; i < N; i++) {
    if (a[i] > stop)
      break;
    b[i] = a[i];
  }
}

static int first_negative(void)
{
  for (int i = 0; i < N; i++)
    if (b[i] < 0.0)
      return i;
  return N;
}

static int leave_by_goto(void)
{
  int i;

  for (i = 0; i < N; i++) {
    if (a[i] > 50.0)
      goto done;
    b[i] += 1.0;
  }
done:
  return i;
}

int main(void)
{
  double sum = 0.0;

  for (int i = 0; i < N; i++) {
    a[i] = 0.02 * i * i;
    b[i] = i - 60.0;
  }
  int place = find(10.0);
  copy_until(20.0);
  int negative = first_negative();
  int left = leave_by_goto();
  for (int i = 0; i < N; i++)
    sum += b[i] * (i + 1);
  printf("place %d negative %d left %d\nb %.10e\n", place, negative, left, sum);
  return 0;
}
