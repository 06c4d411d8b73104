/* Neighbourhoods of one, two and three dimensions, several inputs, wide ones, any size: stencils N. */
#include <stdio.h>
#include <stdlib.h>

static double *filled(int cells, int seed)
{
    double *p = malloc((cells + 1) * sizeof *p);
    if (!p)
        exit(1);
    for (int c = 0; c < cells; c++)
        p[c] = (c * 37 + seed) % 113 * 0.25;
    return p;
}

static void heat(int n, int m, int l, double a[n][m][l], double b[n][m][l])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            for (int k = 1; k < l - 1; k++)
                b[i][j][k] = a[i - 1][j][k] + a[i + 1][j][k] + a[i][j - 1][k] + a[i][j + 1][k] + a[i][j][k - 1]
                             + a[i][j][k + 1] - 6 * a[i][j][k];
}

static void two(int n, int m, int l, double a[n][m][l], double c[n][m][l], double b[n][m][l])
{
    for (int i = 0; i < n - 2; i++)
        for (int j = 2; j < m; j++)
            for (int k = 3; k < l - 3; k++) {
                double sum = a[i][j][k - 3] + a[i + 2][j - 2][k + 3] + a[i + 1][j - 1][k] + c[i][j][k];
                sum += c[i + 1][j][k] * c[i][j - 1][k] + c[i][j][k + 1];
                b[i][j][k] = sum > 40 ? sum : -sum;
            }
}

static void plane(int n, int m, double a[n][m], double c[n][m], double b[n][m])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 2; j < m - 2; j++)
            b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j] + c[i][j - 2] + c[i][j + 2] + c[i][j];
}

static void line(int n, double a[n], double c[n], double b[n])
{
    for (int i = 4; i < n - 4; i++)
        b[i] = a[i - 4] - a[i] + a[i + 4] + c[i - 1] * c[i + 1];
}

static void triangle(int n, int m, double a[n][m], double b[n][m])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < i && j < m - 1; j++)
            b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];
}

static void show(const char *name, const double *p, int cells)
{
    double sum = 0;
    for (int c = 0; c < cells; c++) {
        sum = sum * 0.75 + p[c];
        if (cells < 400)
            printf("%g ", p[c]);
    }
    printf("%s %.17g\n", name, sum);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 9, m = n + 3, l = n + 5, cells = n * m * l;
    double *a = filled(cells, 1), *b = filled(cells, 2), *c = filled(cells, 3);
    heat(n, m, l, (void *)a, (void *)b);
    show("heat", b, cells);
    two(n, m, l, (void *)a, (void *)c, (void *)b);
    show("two", b, cells);
    plane(n, m, (void *)a, (void *)c, (void *)b);
    show("plane", b, n * m);
    line(n, a, c, b);
    show("line", b, n);
    triangle(n, m, (void *)a, (void *)b);
    show("triangle", b, n * m);
    free(a);
    free(b);
    free(c);
    return 0;
}
