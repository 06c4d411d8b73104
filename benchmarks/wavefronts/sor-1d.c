/* Successive over-relaxation of a rod, in time. */
#include <stdio.h>
#include <stdlib.h>

#define N 400000
static double u[N];

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 200;
    for (int i = 0; i < N; i++)
        u[i] = i % 17;
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < N - 1; i++)
            u[i] = 0.2 * u[i] + 0.4 * (u[i - 1] + u[i + 1]);
    printf("%.15g %.15g\n", u[N / 3], u[N / 2]);
    return 0;
}
