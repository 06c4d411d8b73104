/* Rays that are still alive, by their numbers: each advances through a field and writes its own record, points of
 * three numbers.  A third word lets a ray live twice. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STEPS 24

void advance(int alive, const int *list, double *position, double *energy, const double *field, int cells)
{
    int i, s;
    for (i = 0; i < alive; i++) {
        int ray = list[i];
        double x = position[3 * ray], y = position[3 * ray + 1], z = position[3 * ray + 2], e = energy[ray];
        for (s = 0; s < STEPS; s++) {
            int cell = (int)(fabs(x) * 7) % cells;
            double bend = field[cell] / (1 + z * z);
            x += 0.1 * cos(bend);
            y += 0.1 * sin(bend);
            z += 0.01 * bend;
            e -= 0.001 * e * bend;
        }
        position[3 * ray] = x;
        position[3 * ray + 1] = y;
        position[3 * ray + 2] = z;
        energy[ray] = e;
    }
}

int main(int argc, char **argv)
{
    int rays = argc > 1 ? atoi(argv[1]) : 30000, times = argc > 2 ? atoi(argv[2]) : 4, alive = 0, cells = 512;
    int *list = malloc(rays * sizeof(int));
    double *position = calloc(3 * rays, sizeof(double)), *energy = malloc(rays * sizeof(double));
    double *field = malloc(cells * sizeof(double)), sum = 0;
    struct timespec from, to;

    for (int i = 0; i < cells; i++)
        field[i] = 1.0 / (1 + i % 19);
    for (int i = 0; i < rays; i++)
        energy[i] = 1 + i % 3;
    for (int i = 0; i < rays; i++) {
        int ray = (int)((i * 7919LL) % rays);
        if (ray % 5)
            list[alive++] = ray;
    }
    if (argc > 3 && alive > 10)
        list[alive - 1] = list[7];
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int t = 0; t < times; t++)
        advance(alive, list, position, energy, field, cells);
    clock_gettime(CLOCK_MONOTONIC, &to);
    for (int i = 0; i < rays; i++)
        sum += energy[i] * (1 + i % 2) + position[3 * i + 1];
    printf("%.9e\n", sum);
    fprintf(stderr, "%.6f\n", (to.tv_sec - from.tv_sec) + 1e-9 * (to.tv_nsec - from.tv_nsec));
    return 0;
}
