/* Sweeps of a heat equation in a buffer by rows, until little changes; the change is summed up apart from the sweep. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void sweep(double *restrict u, const double *restrict f, int rows, int columns)
{
    for (int i = 1; i < rows - 1; i++)
        for (int j = 1; j < columns - 1; j++)
            u[i * columns + j] = 0.25 * (u[(i - 1) * columns + j] + u[i * columns + j - 1] + u[(i + 1) * columns + j] +
                                         u[i * columns + j + 1] + f[i * columns + j]);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 30, n = 2300;
    double *u = calloc((size_t)n * n, sizeof *u), *f = malloc((size_t)n * n * sizeof *f), last = 0, now = 1;
    for (long k = 0; k < (long)n * n; k++)
        f[k] = (double)(k % 11) / n;
    for (int t = 0; t < steps && fabs(now - last) > 1e-12; t++) {
        sweep(u, f, n, n);
        last = now, now = 0;
        for (int i = 0; i < n; i++)
            now += u[(long)i * n + i];
    }
    printf("%.15g\n", now);
    return 0;
}
