/* Vectors: types, steps, shifted domains, conditional stores, memory from malloc. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SQUARE(x) ((x) * (x))

typedef float real;

static double a[1000], b[1000], c[1000];
static real f[300], g[300];
static int h[300];
static unsigned char bytes[300];

static double blend(double x, double y)
{
    return 0.25 * x + 0.75 * y;
}

int main(void)
{
    int i, n = 1000;
    double *p = malloc(n * sizeof *p);
    if (!p)
        return 1;
    for (i = 0; i < n; i++) {
        a[i] = fabs(i - 500.5) - 100;
        b[i] = SQUARE(i) * 0.5;
        c[i] = -1;
        p[i] = -2;
    }
    for (i = 0; i < n; i++)
        c[i] = a[i] + b[i]; /* a vector sum */
    for (i = n - 2; i >= 10; i -= 3)
        p[i + 1] = blend(c[i], a[i - 10]);
    for (i = 5; i < n - 7; i += 4) {
        if (a[i] > 0)
            b[i] = sqrt(a[i]); // only some cells
    }
    for (i = 0; i < 300; i++) {
        f[i] = i / 7.0f;
        h[i] = i * 37 % 11;
        bytes[i] = i;
    }
    for (i = 0; i < 300; i++)
        g[i] = sqrtf(f[i]) > 2 ? sqrt(f[i]) : h[i] + bytes[i];
    for (i = 0; i < n; i++)
        printf("%.17g %.17g %.17g\n", b[i], c[i], p[i]);
    for (i = 0; i < 300; i++)
        printf("%.9g %d\n", g[i], h[i]);
    free(p);
    return 0;
}
