/* Attention over a sparse matrix: scores of each row become weights, then rows are summed up.  A third word cuts
 * rows so that they overlap. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct sparse {
    int rows;
    int *start;
    int *column;
    float *score;
};

static void softmax_rows(struct sparse *m)
{
    for (int r = 0; r < m->rows; r++) {
        float most = -1e30f, total = 0;
        for (int k = m->start[r]; k < m->start[r + 1]; k++)
            if (m->score[k] > most)
                most = m->score[k];
        for (int k = m->start[r]; k < m->start[r + 1]; k++) {
            m->score[k] = expf(m->score[k] - most);
            total += m->score[k];
        }
        for (int k = m->start[r]; k < m->start[r + 1]; k++)
            m->score[k] /= total;
    }
}

static void gather(const struct sparse *m, const float *value, float *out)
{
    for (int r = 0; r < m->rows; r++) {
        float sum = 0;
        for (int k = m->start[r]; k < m->start[r + 1]; k++)
            sum += m->score[k] * value[m->column[k]];
        out[r] = sum;
    }
}

static struct sparse *sparse_new(int rows, int cut)
{
    struct sparse *m = malloc(sizeof *m);
    m->rows = rows;
    m->start = malloc((rows + 1) * sizeof *m->start);
    m->column = malloc((size_t)rows * 40 * sizeof *m->column);
    m->score = malloc((size_t)rows * 40 * sizeof *m->score);
    int end = 0;
    for (int r = 0; r < rows; r++) {
        m->start[r] = end;
        for (int k = 0; k < 8 + r * 7 % 32; k++, end++) {
            m->column[end] = (int)((r * 131LL + k * 977LL) % rows);
            m->score[end] = (float)((r + k * 31) % 17) / 5;
        }
    }
    m->start[rows] = end;
    for (int r = 5; cut && r < rows; r += 100)
        m->start[r] -= 3 * (r % 200 ? 1 : 9);
    return m;
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 40000, times = argc > 2 ? atoi(argv[2]) : 12;
    struct sparse *m = sparse_new(rows, argc > 3);
    float *value = malloc(rows * sizeof *value), *out = malloc(rows * sizeof *out);
    struct timespec from, to;
    double check = 0;

    for (int r = 0; r < rows; r++)
        value[r] = (float)(r % 29);
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int t = 0; t < times; t++) {
        softmax_rows(m);
        gather(m, t % 2 ? out : value, t % 2 ? value : out);
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    for (int r = 0; r < rows; r++)
        check += out[r] * (1 + r % 7);
    printf("%.5e\n", check);
    fprintf(stderr, "%.6f\n", (to.tv_sec - from.tv_sec) + 1e-9 * (to.tv_nsec - from.tv_nsec));
    return 0;
}
