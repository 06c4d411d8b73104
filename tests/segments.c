/* Segments that data bounds: in order, out of order, overlapping, empty, and none at all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEGMENTS 400
#define CELLS 4096

typedef struct { short from, to; double sum; } part;
struct csr { size_t n; size_t *off; };

static double val[CELLS];
static int mark[CELLS];
static int ends[SEGMENTS + 1];
static size_t offsets[SEGMENTS + 1];
static part parts[SEGMENTS];
static unsigned char small[201];

static void scaled(const int *off, int n)
{
    for (int v = 0; v < n; v++)
        for (int e = off[v]; e < off[v + 1]; e++)
            val[e] = val[e] * 2 + v;
}

static void shares(const struct csr *g)
{
    for (size_t v = 0; v < g->n; v++) {
        double sum = 1;
        for (size_t e = g->off[v]; e < g->off[v + 1]; e++)
            sum += val[e];
        for (size_t e = g->off[v]; e < g->off[v + 1]; e++)
            val[e] /= sum;
    }
}

static void sums(int n)
{
    for (int k = 0; k < n; k++) {
        double sum = 0;
        for (int i = parts[k].from; i < parts[k].to; i++) {
            mark[i] = mark[i] * 3 + k;
            sum += mark[i];
        }
        parts[k].sum = sum;
    }
}

static void walked(const int *off, int n)
{
    for (int v = 0; v < n; v++) {
        double *p = val + off[v], *end = val + off[v + 1];
        while (p < end)
            *p++ += v;
    }
}

static void bytes(int n)
{
    for (int v = 0; v < n; v++)
        for (int e = small[v]; e < small[v + 1]; e++)
            mark[e] += v;
}

static void downwards(const int *off, int n)
{
    for (int v = n - 1; v >= 0; v--)
        for (int e = off[v]; e < off[v + 1]; e++)
            val[e] -= v;
}

static void one_way(int kind)
{
    struct csr g = { SEGMENTS, offsets };
    for (int k = 0; k <= SEGMENTS; k++) {
        int at = kind == 0 ? k * 10 : kind == 1 ? (k * 37) % 4000 : kind == 2 ? (k / 7) * 70 : 4000 - k * 10;
        ends[k] = at;
        offsets[k] = (size_t)at;
    }
    for (int k = 0; k < SEGMENTS; k++) {
        parts[k].from = (short)ends[k];
        parts[k].to = (short)(kind == 3 ? ends[k] + 14 : ends[k + 1]);
    }
    for (int k = 0; k <= 200; k++)
        small[k] = (unsigned char)(kind ? (k * 91) % 251 : k);
    scaled(ends, SEGMENTS);
    scaled(ends, 0);
    shares(&g);
    sums(SEGMENTS);
    walked(ends, SEGMENTS);
    bytes(200);
    downwards(ends, SEGMENTS);
}

int main(void)
{
    double total = 0;
    for (int k = 0; k < CELLS; k++)
        val[k] = k % 17;
    for (int kind = 0; kind < 4; kind++)
        one_way(kind);
    for (int k = 0; k < CELLS; k++)
        total += val[k] * (k % 5) + mark[k] % 1000;
    for (int k = 0; k < SEGMENTS; k++)
        total += parts[k].sum / 1e6;
    printf("%.9g\n", total);
    return 0;
}
