/* Gauss-Seidel with nine points, in time. */
#include <stdio.h>
#include <stdlib.h>

#define N 2000
static double a[N][N];

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 25;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = ((double)i * (j + 2) + 2) / N;
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] +
                           a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) / 9.0;
    printf("%.15g %.15g\n", a[N / 2][N / 2], a[N - 2][3]);
    return 0;
}
