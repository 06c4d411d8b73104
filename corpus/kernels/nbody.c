/* nbody: a time step of bodies that attract each other, every pair; softened, so that no distance is zero. */
#include <math.h>
#include <stdio.h>

#ifndef N
#define N 160
#endif

static double x[N], y[N], z[N], mass[N];
static double vx[N], vy[N], vz[N];

static void init_arrays(void)
{
  for (int i = 0; i < N; i++) {
    x[i] = (double)(i % 101 * 37 % 101) / 10.0;
    y[i] = (double)(i % 103 * 41 % 103) / 10.0;
    z[i] = (double)(i % 107 * 43 % 107) / 10.0;
    mass[i] = 1.0 + (double)(i % 7) / 7.0;
    vx[i] = 0.5;
    vy[i] = 0.25;
    vz[i] = 0.125;
  }
}

static void kernel_nbody(double dt)
{
  /* the pull of all on each */
  for (int i = 0; i < N; i++) {
    double ax = 0.0, ay = 0.0, az = 0.0;
    for (int j = 0; j < N; j++) {
      double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      double square = dx * dx + dy * dy + dz * dz + 0.01;
      double pull = mass[j] / (square * sqrt(square));
      ax += pull * dx;
      ay += pull * dy;
      az += pull * dz;
    }
    vx[i] += dt * ax;
    vy[i] += dt * ay;
    vz[i] += dt * az;
  }
  /* only then do they move */
  for (int i = 0; i < N; i++) {
    x[i] += dt * vx[i];
    y[i] += dt * vy[i];
    z[i] += dt * vz[i];
  }
}

int main(void)
{
  init_arrays();
  kernel_nbody(0.001);

  double sum = 0.0;
  for (int i = 0; i < N; i++)
    sum += (x[i] + 2.0 * y[i] + 3.0 * z[i]) * (double)(i % 17 + 1);
  printf("bodies %.10e\n", sum);
  return 0;
}
