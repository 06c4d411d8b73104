/* Triangles: below and above the diagonal, beyond the edges, backwards, in steps, with holes. */
#include <stdio.h>
#include <stdlib.h>

#define MOST 80
#define SHIFT 3

static double A[MOST][MOST], B[MOST][MOST];
static float F[MOST][MOST];
static int I[MOST][MOST], last;

static void lower(int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            A[i][j] = A[i][j] * 2 + B[j][i];
}

static void strictly_upper(int n)
{
    for (int i = 0; i < n - 1; i++)
        for (int j = i + 1; j < n; j++)
            A[i][j] = B[i][j] - B[j][i];
}

static void flip(int n)
{
    for (int i = n - 1; i >= 0; i--)
        for (int j = i; j >= 0; j--) {
            if ((i + j) % 4 == 1)
                continue;
            F[i][j] = F[i][j] + j;
        }
}

/* rows above the diagonal, and rows that have no iterations */
static void beyond(int n, int m)
{
    for (long i = 0; i < n; i++)
        for (long j = SHIFT; j < i - m; j++)
            I[i][j] += 5;
    for (int i = 2; i <= n; i += 3)
        for (int j = m; n - 2 * i > j; ++j)
            I[j][i] -= i;
}

/* a trapezoid, and the other diagonal */
static void others(int n, int m)
{
    int i, j;
    for (i = 1; i < m; i++)
        for (j = 0; j < n + 2 * i; j++)
            if (j < MOST)
                B[i][j] = B[i][j] / 2 + A[i][j];
    for (i = 0; i < n; i++)
        for (j = n - i; j < n; j++) {
            last = i * 100 + j;
            F[i][j] = last % 7;
        }
    for (i = 0; i < n; i++)
        for (j = n - i; j < n; j++)
            A[j][i] = A[j][i] / 3 + i;
}

static void show(const char *name, const void *cells, size_t bytes)
{
    unsigned long hash = 14695981039346656037ul;
    for (size_t at = 0; at < bytes; at++)
        hash = (hash ^ ((const unsigned char *)cells)[at]) * 1099511628211ul;
    printf("%s %016lx\n", name, hash);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 33, m = argc > 2 ? atoi(argv[2]) : 2;
    for (int i = 0; i < MOST; i++)
        for (int j = 0; j < MOST; j++) {
            A[i][j] = (i * 7 + j * 3) % 31 * 0.37 - 4;
            B[i][j] = (i * 5 + j * 11) % 29 * 0.21 - 3;
            F[i][j] = (i * 3 + j * 13) % 23;
            I[i][j] = (i * 13 + j) % 17;
        }
    lower(n);
    show("lower", A, sizeof A);
    strictly_upper(n);
    show("upper", A, sizeof A);
    flip(n);
    show("flip", F, sizeof F);
    beyond(n, m);
    show("beyond", I, sizeof I);
    others(n, m < 5 ? m : 5);
    show("B", B, sizeof B);
    show("F", F, sizeof F);
    show("A", A, sizeof A);
    printf("%d\n", last);
    return 0;
}
