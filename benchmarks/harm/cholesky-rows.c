/* Cholesky decomposition of matrices that are arrays of row pointers, and solutions with it. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <time.h>

static double **matrix(int n)
{
    int i;
    double **m = (double **)malloc(n * sizeof(double *));

    for (i = 0; i < n; i++)
        m[i] = (double *)malloc(n * sizeof(double));
    return m;
}

static int decompose(double **a, int n)
{
    int i, j, k;
    double sum;

    for (i = 0; i < n; i++) {
        for (j = i; j < n; j++) {
            sum = a[i][j];
            for (k = i - 1; k >= 0; k--)
                sum -= a[i][k] * a[j][k];
            if (i == j) {
                if (sum <= 0.0)
                    return -1;
                a[i][i] = sqrt(sum);
            } else
                a[j][i] = sum / a[i][i];
        }
    }
    return 0;
}

static void solve(double **a, int n, const double *b, double *x)
{
    int i, k;
    double sum;

    for (i = 0; i < n; i++) {
        sum = b[i];
        for (k = i - 1; k >= 0; k--)
            sum -= a[i][k] * x[k];
        x[i] = sum / a[i][i];
    }
    for (i = n - 1; i >= 0; i--) {
        sum = x[i];
        for (k = i + 1; k < n; k++)
            sum -= a[k][i] * x[k];
        x[i] = sum / a[i][i];
    }
}

static void fill(double **a, int n, int shift)
{
    int i, j;

    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            a[i][j] = (i == j ? n : 0) + 1.0 / (1 + abs(i - j) + shift % 3);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300;
    int times = argc > 2 ? atoi(argv[2]) : 36;
    int t, i;
    double **a = matrix(n), *b = malloc(n * sizeof *b), *x = malloc(n * sizeof *x), total = 0;
    struct timespec begin, end;

    for (i = 0; i < n; i++)
        b[i] = i % 11 + 0.5;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (t = 0; t < times; t++) {
        fill(a, n, t);
        if (decompose(a, n)) {
            puts("not positive definite");
            return 1;
        }
        solve(a, n, b, x);
        total += x[t % n] + x[n / 2];
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.9e\n", total);
    fprintf(stderr, "%.6f\n", (end.tv_sec - begin.tv_sec) + (end.tv_nsec - begin.tv_nsec) / 1e9);
    return 0;
}
