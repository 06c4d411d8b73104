/* Sweeps over a grid, which change places. */
#include <stdio.h>
#ifndef N
#define N 58
#endif

static double u[N][N], v[N][N];

static void sweep(double from[N][N], double to[N][N])
{
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

int main(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            u[i][j] = v[i][j] = i * j % 17;
    for (int t = 0; t < 5; t++) {
        sweep(u, v);
        sweep(v, u);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += u[i][j];
    printf("%.10g\n", sum);
    return 0;
}
