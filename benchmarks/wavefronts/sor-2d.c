/* Gauss-Seidel with five points, in time. */
#include <stdio.h>
#include <stdlib.h>

#define N 2500
static double u[N][N], f[N][N];

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 40;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            u[i][j] = (i * j) % 17;
            f[i][j] = (i + j) % 5;
        }
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                u[i][j] = 0.25 * (u[i - 1][j] + u[i][j - 1] + u[i + 1][j] + u[i][j + 1] - f[i][j]);
    printf("%.15g %.15g\n", u[N / 2][N / 2], u[N - 2][3]);
    return 0;
}
