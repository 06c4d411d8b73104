/* Several functions that share global arrays and call each other, also from inside a loop. */
#include <stdio.h>

#define N 36

static double grid[N][N], line[N];
static int calls;

static double f(double x, double y)
{
  return x * x + 0.5 * y;
}

static void fill(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      grid[i][j] = f(i, j);
}

/* touches row i only */
static void scale_row(int i, double factor)
{
  for (int j = 0; j < N; j++)
    grid[i][j] *= factor;
}

static double row_sum(int i)
{
  double s = 0.0;

  for (int j = 0; j < N; j++)
    s += grid[i][j];
  return s;
}

static void counted(double x)
{
  calls++;
  line[0] = line[0] * 0.5 + x;
}

/* the calls write different rows */
static void scale_all(void)
{
  for (int i = 0; i < N; i++)
    scale_row(i, 1.0 + 0.1 * i);
}

/* the calls read */
static void sum_all(void)
{
  for (int i = 0; i < N; i++)
    line[i] = row_sum(i);
}

/* the calls write one cell in turn */
static void count_all(void)
{
  for (int i = 0; i < N; i++)
    counted(grid[i][i]);
}

int main(void)
{
  double sum = 0.0;

  fill();
  scale_all();
  sum_all();
  count_all();
  for (int i = 0; i < N; i++)
    sum += line[i] * (i + 1);
  printf("line %.10e\ncalls %d\n", sum, calls);
  return 0;
}
