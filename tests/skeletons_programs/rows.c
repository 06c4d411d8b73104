/* A row of a matrix per thread: one matrix and two, any shape, offsets, rows of variable length. */
#include <stdio.h>
#include <stdlib.h>

static double A[90][70], x[70], y[90];
static float P[60][60], Q[60][60];
static int wide[3][300], total[3];

static void product(int n, int m)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < m; j++)
            y[i] += A[i][j] * x[j];
    }
}

static void two(int n, int m, double c[n][m], double d[n][m], double *restrict z)
{
    for (int i = 1; i < n; i++) {
        double sum = 0;
        for (int j = 2; j < m; j++)
            sum += c[i][j] * d[i - 1][m - j];
        z[i] = sum;
    }
}

static void triangle(int n)
{
    for (int i = n - 1; i >= 0; i--)
        P[i][i] = P[i][i] * 2 + i;
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int j = 0; j <= i; j++) {
            if (j % 5 == 3)
                continue;
            sum += Q[i][j] - Q[i][n - 1 - j];
        }
        y[i] = sum;
    }
}

static void sums(int n)
{
    for (int i = 0; i < 3; i++) {
        int found = -1;
        for (int j = n - 1; j >= 0; j -= 2)
            found = found * 3 % 1009 + wide[i][j];
        total[i] = found;
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 33, m = n * 3 / 4;
    double *c = malloc((n * m + 1) * sizeof *c), *d = malloc((n * m + 1) * sizeof *d);
    double *z = calloc(n + 1, sizeof *z);
    if (!c || !d || !z)
        return 1;
    for (int i = 0; i < 90; i++)
        for (int j = 0; j < 70; j++)
            A[i][j] = (i * 7 + j * 3) % 31 * 0.5;
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < 60; j++)
            P[i][j] = Q[i][j] = (i * 5 + j * 11) % 23;
    for (int j = 0; j < 70; j++)
        x[j] = j % 9 - 4;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 300; j++)
            wide[i][j] = (i + 1) * j % 211;
    for (int k = 0; k < n * m; k++) {
        c[k] = k % 17 * 0.25;
        d[k] = k % 13 - 5;
    }
    product(n, m);
    for (int i = 0; i < 90; i++)
        printf("%g ", y[i]);
    two(n, m, (void *)c, (void *)d, z);
    triangle(n < 60 ? n : 60);
    sums(n * 3);
    for (int i = 0; i < n; i++)
        printf("%g %g ", y[i], z[i]);
    for (int i = 0; i < 60; i++)
        printf("%g ", P[i][i]);
    printf("%d %d %d\n", total[0], total[1], total[2]);
    free(c);
    free(d);
    free(z);
    return 0;
}
