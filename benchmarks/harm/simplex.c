/* Linear programs by the simplex method on a tableau of rows; the pivots follow each other. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef double REAL;

typedef struct TABLEAU
{
    int m, n;       /* constraints, variables */
    REAL **row;     /* m + 1 rows of n + m + 1 */
    int *basis;
} TABLEAU;

static TABLEAU *NewTableau(int m, int n)
{
    int i;
    TABLEAU *t = malloc(sizeof(TABLEAU));

    t->m = m;
    t->n = n;
    t->row = malloc((m + 1) * sizeof(REAL *));
    t->basis = malloc(m * sizeof(int));
    for (i = 0; i <= m; i++)
        t->row[i] = calloc(n + m + 1, sizeof(REAL));
    return t;
}

static void SetUp(TABLEAU *t, unsigned seed)
{
    int i, j, last = t->n + t->m;

    for (i = 0; i < t->m; i++) {
        for (j = 0; j <= last; j++)
            t->row[i][j] = 0;
        for (j = 0; j < t->n; j++) {
            seed = seed * 1664525u + 1013904223u;
            t->row[i][j] = 0.1 + (seed >> 8) / 16777216.0;
        }
        t->row[i][t->n + i] = 1;
        t->row[i][last] = 50 + i * 7 % 13;
        t->basis[i] = t->n + i;
    }
    for (j = 0; j <= last; j++) {
        seed = seed * 1664525u + 1013904223u;
        t->row[t->m][j] = j < t->n ? -1 - (seed >> 8) / 16777216.0 : 0;
    }
}

static int Entering(const TABLEAU *t)
{
    int j, best = -1;
    REAL least = -1e-9;

    for (j = 0; j < t->n + t->m; j++)
        if (t->row[t->m][j] < least) {
            least = t->row[t->m][j];
            best = j;
        }
    return best;
}

static int Leaving(const TABLEAU *t, int col)
{
    int i, best = -1, last = t->n + t->m;
    REAL ratio, least = 0;

    for (i = 0; i < t->m; i++)
        if (t->row[i][col] > 1e-9) {
            ratio = t->row[i][last] / t->row[i][col];
            if (best < 0 || ratio < least) {
                least = ratio;
                best = i;
            }
        }
    return best;
}

static void Pivot(TABLEAU *t, int r, int c)
{
    int i, j, width = t->n + t->m + 1;
    REAL factor = 1 / t->row[r][c];

    for (j = 0; j < width; j++)
        t->row[r][j] *= factor;
    for (i = 0; i <= t->m; i++) {
        if (i == r)
            continue;
        factor = t->row[i][c];
        for (j = 0; j < width; j++)
            t->row[i][j] -= factor * t->row[r][j];
    }
    t->basis[r] = c;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 90, times = argc > 2 ? atoi(argv[2]) : 420, k, r, c, pivots = 0;
    TABLEAU *t = NewTableau(n * 2 / 3, n);
    REAL sum = 0;
    struct timespec t0, t1;

    clock_gettime(CLOCK_MONOTONIC, &t0);
    for (k = 0; k < times; k++) {
        SetUp(t, k + 1);
        while ((c = Entering(t)) >= 0 && (r = Leaving(t, c)) >= 0) {
            Pivot(t, r, c);
            pivots++;
        }
        sum += t->row[t->m][t->n + t->m];
    }
    clock_gettime(CLOCK_MONOTONIC, &t1);
    printf("%.8e %d\n", sum, pivots > 0);
    fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
    return 0;
}
