/* Gauss-Seidel until the changes are small: their squares are summed in the sweep. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1500
double u[N][N], f[N][N];

int main(int argc, char **argv)
{
    int most = argc > 1 ? atoi(argv[1]) : 60, steps = 0;
    double change, old;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            f[i][j] = (i * 13 + j * 7) % 17 * 1e-4;
    do {
        change = 0.0;
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++) {
                old = u[i][j];
                u[i][j] = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] + f[i][j]) / 4.0;
                change += (u[i][j] - old) * (u[i][j] - old);
            }
        steps++;
    } while (sqrt(change) > 1e-9 && steps < most);
    printf("%d %.9e %.9e\n", steps, change, u[N / 2][N / 3]);
    return 0;
}
