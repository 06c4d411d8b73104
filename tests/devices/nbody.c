/* Bodies that attract each other. */
#include <math.h>
#include <stdio.h>
#ifndef N
#define N 96
#endif
#ifndef STEPS
#define STEPS 4
#endif

typedef double numbers[N];
static numbers x, y, z, mass, vx, vy, vz;

static void accelerate(double dt)
{
    for (int i = 0; i < N; i++) {
        double ax = 0, ay = 0, az = 0;
        for (int j = 0; j < N; j++) {
            double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            double d = dx * dx + dy * dy + dz * dz + 0.01, f = mass[j] / (d * sqrt(d));
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
        }
        vx[i] += dt * ax;
        vy[i] += dt * ay;
        vz[i] += dt * az;
    }
}

static void move(double dt)
{
    for (int i = 0; i < N; i++) {
        x[i] += dt * vx[i];
        y[i] += dt * vy[i];
        z[i] += dt * vz[i];
    }
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        x[i] = i % 10;
        y[i] = i / 10;
        z[i] = i % 3;
        mass[i] = 1 + i % 5;
    }
    for (int t = 0; t < STEPS; t++) {
        accelerate(0.01);
        move(0.01);
    }
    for (int i = 0; i < N; i += 7)
        printf("%.12g %.12g %.12g\n", x[i], y[i], z[i]);
    return 0;
}
