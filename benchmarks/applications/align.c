#include <stdio.h>
#include <stdlib.h>

/* Local alignment of two sequences, with a traceback table. */
struct matrix {
    int rows, cols;
    int *score;
    unsigned char *trace;
};

static int better(int a, int b) { return a > b ? a : b; }

static struct matrix *make(int rows, int cols)
{
    struct matrix *m = malloc(sizeof *m);
    m->rows = rows;
    m->cols = cols;
    m->score = calloc((size_t)rows * cols, sizeof *m->score);
    m->trace = calloc((size_t)rows * cols, 1);
    return m;
}

static int fill(struct matrix *m, const char *a, const char *b)
{
    int best = 0;
    for (int i = 1; i < m->rows; i++)
        for (int j = 1; j < m->cols; j++) {
            int diagonal = m->score[(i - 1) * m->cols + j - 1] + (a[i - 1] == b[j - 1] ? 3 : -1);
            int up = m->score[(i - 1) * m->cols + j] - 2;
            int left = m->score[i * m->cols + j - 1] - 2;
            int s = better(0, better(diagonal, better(up, left)));
            m->score[i * m->cols + j] = s;
            m->trace[i * m->cols + j] = s == 0 ? 0 : s == diagonal ? 1 : s == up ? 2 : 3;
            best = better(best, s);
        }
    return best;
}

int main(void)
{
    int n = 5000;
    char *a = malloc(n), *b = malloc(n);
    unsigned seed = 7;
    for (int i = 0; i < n; i++) {
        seed = seed * 1103515245u + 12345u;
        a[i] = "ACGT"[(seed >> 16) & 3];
        seed = seed * 1103515245u + 12345u;
        b[i] = "ACGT"[(seed >> 16) & 3];
    }
    struct matrix *m = make(n + 1, n + 1);
    printf("%d\n", fill(m, a, b));
    long count = 0;
    /* OMP: parallel for reduction(+:count) */
    for (int i = 0; i < m->rows * m->cols; i++)
        count += m->trace[i] == 1;
    printf("%ld\n", count);
    return 0;
}
