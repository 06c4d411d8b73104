/* An array of structures: different members do not meet. */
#include <stdio.h>

#define N 50

struct particle {
  double x, v;
  int cell;
  double force[2];
};

static struct particle p[N];
static struct particle leader;

static void move(double dt)
{
  for (int i = 0; i < N; i++) {
    p[i].v += dt * p[i].force[0];
    p[i].x += dt * p[i].v;
    p[i].cell = (int)p[i].x;
  }
}

/* reads x of the neighbours and writes forces only */
static void forces(void)
{
  for (int i = 1; i < N - 1; i++) {
    p[i].force[0] = p[i - 1].x - 2.0 * p[i].x + p[i + 1].x;
    p[i].force[1] = leader.x - p[i].x;
  }
}

/* reads x of a neighbour and writes x */
static void follow(void)
{
  for (int i = 1; i < N; i++)
    p[i].x = 0.5 * (p[i].x + p[i - 1].x);
}

static double energy(void)
{
  double e = 0.0;

  for (int i = 0; i < N; i++)
    e += 0.5 * p[i].v * p[i].v;
  return e;
}

int main(void)
{
  double sum_x = 0.0, sum_f = 0.0;
  int sum_c = 0;

  leader.x = 3.0;
  for (int i = 0; i < N; i++) {
    p[i].x = 0.3 * i + 0.01 * ((i * 7) % 5);
    p[i].v = 1.0 - 0.02 * i;
  }
  forces();
  move(0.1);
  follow();
  for (int i = 0; i < N; i++) {
    sum_x += p[i].x * (i + 1);
    sum_f += (p[i].force[0] + 2.0 * p[i].force[1]) * (i + 1);
    sum_c += p[i].cell * (i + 1);
  }
  printf("x %.10e\nforce %.10e\ncell %d\nenergy %.10e\n", sum_x, sum_f, sum_c, energy());
  return 0;
}
