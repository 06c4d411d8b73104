/* A sparse triangular system, solved by levels: rows of a level do not need each other. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    int n, levels;
    int *start, *column;        /* the entries left of the diagonal */
    double *value, *diagonal;
    int *level, *row;           /* the rows of a level */
} lower_t;

static void solve(const lower_t *l, const double *b, double *x)
{
    for (int level = 0; level < l->levels; level++)
        for (int k = l->level[level]; k < l->level[level + 1]; k++) {
            int r = l->row[k];
            double sum = b[r];
            for (int e = l->start[r]; e < l->start[r + 1]; e++)
                sum -= l->value[e] * x[l->column[e]];
            x[r] = sum / l->diagonal[r];
        }
}

static lower_t *lower_new(int width, int levels)
{
    lower_t *l = malloc(sizeof *l);
    int n = width * levels, end = 0;
    l->n = n, l->levels = levels;
    l->start = malloc((n + 1) * sizeof(int));
    l->column = malloc((size_t)n * 9 * sizeof(int));
    l->value = malloc((size_t)n * 9 * sizeof(double));
    l->diagonal = malloc(n * sizeof(double));
    l->level = malloc((levels + 1) * sizeof(int));
    l->row = malloc(n * sizeof(int));
    for (int r = 0; r < n; r++) {
        int above = r / width * width;
        l->start[r] = end;
        for (int k = 0; above && k < 9; k++) {
            l->column[end] = (above - width + (r * 31 + k * 17) % width);
            l->value[end++] = 0.1 / (1 + (r + k) % 5);
        }
        l->diagonal[r] = 2 + r % 3;
        l->row[r] = above + (r % width * 7) % width;
    }
    l->start[n] = end;
    for (int k = 0; k <= levels; k++)
        l->level[k] = k * width;
    return l;
}

int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 5000, times = argc > 2 ? atoi(argv[2]) : 25;
    lower_t *l = lower_new(width, 40);
    double *b = malloc(l->n * sizeof *b), *x = calloc(l->n, sizeof *x), sum = 0;
    struct timespec from, to;

    for (int r = 0; r < l->n; r++)
        b[r] = 1 + r % 7;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int t = 0; t < times; t++) {
        solve(l, b, x);
        b[t % l->n] += 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    for (int r = 0; r < l->n; r++)
        sum += x[r] * (1 + r % 3);
    printf("%.9e\n", sum);
    fprintf(stderr, "%.6f\n", (to.tv_sec - from.tv_sec) + 1e-9 * (to.tv_nsec - from.tv_nsec));
    return 0;
}
