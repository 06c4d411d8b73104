/* Arrays that a device may use where they are: constants, parts, structures, and one array under two names. */
#include <stdio.h>
#include <stdlib.h>

#define MOST 64

typedef struct {
    float x, y;
} point;

static const double weights[4] = {0.5, 0.25, 0.125, 2};
static double a[MOST], b[MOST];
static point points[MOST];
static char marks[MOST];

static void weighted(int n)
{
    for (int i = 1; i < n - 3; i++)
        b[i] = weights[0] * a[i - 1] + weights[1] * a[i] + weights[2] * a[i + 1] + weights[3];
}

static void twice(int n, const double *restrict p, const double *restrict q, double *restrict sum)
{
    for (int i = 0; i < n; i++)
        sum[i] = p[i] * q[n - 1 - i];
}

static void move(int n)
{
    for (int i = n - 1; i >= 2; i -= 3) {
        points[i].x += points[i].y;
        marks[i] = i;
    }
}

static double total(int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 40;
    for (int i = 0; i < MOST; i++) {
        a[i] = i % 7 - 3;
        b[i] = i;
        points[i].x = i;
        points[i].y = i % 5;
    }
    double *sum = malloc((n + 1) * sizeof *sum);
    if (!sum)
        return 1;
    weighted(n);
    twice(n, a, a, sum);
    move(n);
    printf("%.17g", total(n));
    for (int i = 0; i < MOST; i++)
        printf(" %g %g %d", b[i], points[i].x, marks[i]);
    for (int i = 0; i < n; i++)
        printf(" %g", sum[i]);
    printf("\n");
    free(sum);
    return 0;
}
