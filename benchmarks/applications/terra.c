/* terra: a few raster operations on a synthetic elevation model
 *
 *    terra [rows] [columns]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODATA (-9999.0f)
#define SQ(a) ((a) * (a))

typedef struct raster {
    long nrow, ncol;
    double cell;        /* metres */
    float **z;          /* row pointers into one block */
} raster;

struct hill {
    double row, col, height, radius;
};

struct summary {
    double mean;
    float min, max;
    long valid;
};

typedef float (*sampler)(const raster *r, double row, double col);

/* D8 neighbours, clockwise from east */
enum { N_DIR = 8, PIT = 255 };
static const int drow[N_DIR] = { 0, 1, 1, 1, 0, -1, -1, -1 };
static const int dcol[N_DIR] = { 1, 1, 0, -1, -1, -1, 0, 1 };

static int raster_init(raster *r, long nrow, long ncol, double cell)
{
    float *block = calloc((size_t)(nrow * ncol), sizeof *block);

    r->nrow = nrow;
    r->ncol = ncol;
    r->cell = cell;
    r->z = malloc((size_t)nrow * sizeof *r->z);
    if (!block || !r->z) {
        free(block);
        free(r->z);
        r->z = NULL;
        return 0;
    }
    for (long i = 0; i < nrow; i++, block += ncol)
        r->z[i] = block;
    return 1;
}

static void raster_free(raster *r)
{
    if (r->z)
        free(r->z[0]);
    free(r->z);
}

static double uniform(void)
{
    static unsigned long long seed = 42;

    seed = seed * 48271 % 2147483647;
    return seed / 2147483647.0;
}

static void scatter_hills(struct hill *h, int n, long nrow, long ncol)
{
    for (; n > 0; n--, h++) {
        h->row = uniform() * nrow;
        h->col = uniform() * ncol;
        h->height = 20.0 + 180.0 * uniform();
        h->radius = (0.04 + 0.12 * uniform()) * ncol;
    }
}

static void build_terrain(raster *dem, const struct hill *hills, int n)
{
    /* OMP: parallel for schedule(static) */
    for (long i = 0; i < dem->nrow; i++) {
        float *z = dem->z[i];

        for (long j = 0; j < dem->ncol; j++) {
            double e = 100.0 + 0.05 * i + 2.0 * sin(0.11 * i) * cos(0.07 * j);

            for (const struct hill *h = hills; h < hills + n; h++) {
                double d = (SQ(i - h->row) + SQ(j - h->col)) / SQ(h->radius);
                if (d < 8.0)
                    e += h->height * exp(-d);
            }
            z[j] = (float)e;
        }
    }
}

static void summarize(const raster *r, struct summary *s)
{
    double sum = 0.0;
    float lo = INFINITY, hi = -INFINITY;
    long n = 0, i, j;

    /* OMP: parallel for private(j) reduction(+:sum,n) reduction(min:lo) reduction(max:hi) */
    for (i = 0; i < r->nrow; i++)
        for (j = 0; j < r->ncol; j++) {
            float v = r->z[i][j];
            if (v == NODATA)
                continue;
            sum += v;
            n++;
            lo = v < lo ? v : lo;
            hi = v > hi ? v : hi;
        }
    s->mean = n ? sum / n : 0.0;
    s->min = lo;
    s->max = hi;
    s->valid = n;
}

/* Horn's method, degrees; the frame and flat aspects become NODATA */
static void slope_aspect(const raster *dem, raster *slope, raster *aspect)
{
    const long nr = dem->nrow, nc = dem->ncol;
    const double f = 1.0 / (8.0 * dem->cell), deg = 180.0 / M_PI;

    for (long j = 0; j < nc; j++)
        slope->z[0][j] = slope->z[nr - 1][j] = aspect->z[0][j] = aspect->z[nr - 1][j] = NODATA;

    /* OMP: parallel for schedule(static) */
    for (long i = 1; i < nr - 1; i++) {
        const float *a = dem->z[i - 1], *b = dem->z[i], *c = dem->z[i + 1];

        slope->z[i][0] = slope->z[i][nc - 1] = NODATA;
        aspect->z[i][0] = aspect->z[i][nc - 1] = NODATA;
        for (long j = 1; j < nc - 1; j++) {
            double p = f * (a[j + 1] + 2.0 * b[j + 1] + c[j + 1] - a[j - 1] - 2.0 * b[j - 1] - c[j - 1]);
            double q = f * (c[j - 1] + 2.0 * c[j] + c[j + 1] - a[j - 1] - 2.0 * a[j] - a[j + 1]);
            double az = atan2(q, -p) * deg;

            slope->z[i][j] = (float)(atan(sqrt(p * p + q * q)) * deg);
            aspect->z[i][j] = p == 0.0 && q == 0.0 ? NODATA : (float)(az < 0.0 ? az + 360.0 : az);
        }
    }
}

/* steepest descent to one of the eight neighbours */
static void flow_directions(const raster *dem, unsigned char **dir)
{
    const float diag = (float)M_SQRT1_2;
    long i, j;

    /* OMP: parallel for private(j) schedule(static) */
    for (i = 0; i < dem->nrow; i++) {
        for (j = 0; j < dem->ncol; j++) {
            float best = 0.0f;

            dir[i][j] = PIT;
            for (int k = 0; k < N_DIR; k++) {
                long r = i + drow[k], c = j + dcol[k];
                float drop;

                if (r < 0 || c < 0 || r >= dem->nrow || c >= dem->ncol)
                    continue;
                drop = dem->z[i][j] - dem->z[r][c];
                if (k & 1)
                    drop *= diag;
                if (drop > best) {
                    best = drop;
                    dir[i][j] = (unsigned char)k;
                }
            }
        }
    }
}

/* Upstream cells of every cell, itself included. Works downhill from the cells
 * nothing flows into. Returns the number of pits, -1 without memory. */
static long flow_accumulation(unsigned char **dir, raster *acc)
{
    const long nr = acc->nrow, nc = acc->ncol;
    unsigned char *inflow = calloc((size_t)(nr * nc), 1);
    long *stack = malloc((size_t)(nr * nc) * sizeof *stack);
    long top = 0, pits = 0;

    if (!inflow || !stack) {
        pits = -1;
        goto done;
    }
    for (long i = 0; i < nr; i++)
        for (long j = 0; j < nc; j++) {
            acc->z[i][j] = 1.0f;
            if (dir[i][j] == PIT)
                pits++;
            else
                inflow[(i + drow[dir[i][j]]) * nc + j + dcol[dir[i][j]]]++;
        }
    for (long k = nr * nc - 1; k >= 0; k--)
        if (inflow[k] == 0)
            stack[top++] = k;
    while (top > 0) {
        long k = stack[--top], i = k / nc, j = k % nc;
        int d = dir[i][j];

        if (d == PIT)
            continue;
        acc->z[i + drow[d]][j + dcol[d]] += acc->z[i][j];
        k += drow[d] * nc + dcol[d];
        if (--inflow[k] == 0)
            stack[top++] = k;
    }
done:
    free(stack);
    free(inflow);
    return pits;
}

static float sample_nearest(const raster *r, double row, double col)
{
    return r->z[lround(row)][lround(col)];
}

static float sample_bilinear(const raster *r, double row, double col)
{
    long i = (long)row, j = (long)col;
    double fi, fj;

    if (i > r->nrow - 2)
        i = r->nrow - 2;
    if (j > r->ncol - 2)
        j = r->ncol - 2;
    fi = row - i;
    fj = col - j;
    return (float)((1.0 - fi) * ((1.0 - fj) * r->z[i][j] + fj * r->z[i][j + 1])
                   + fi * ((1.0 - fj) * r->z[i + 1][j] + fj * r->z[i + 1][j + 1]));
}

/* is the ground at (row, col) seen from height eye above (r0, c0)? */
static int line_of_sight(const raster *dem, long r0, long c0, double eye, long row, long col)
{
    long dr = row - r0, dc = col - c0;
    long steps = labs(dr) > labs(dc) ? labs(dr) : labs(dc), k = 1;
    double z0 = dem->z[r0][c0] + eye, rise;

    if (steps == 0)
        return 1;
    rise = (dem->z[row][col] - z0) / steps;
    while (k < steps) {
        double t = (double)k / steps;

        if (sample_bilinear(dem, r0 + t * dr, c0 + t * dc) > z0 + rise * k + 1e-3)
            return 0;
        k++;
    }
    return 1;
}

static long viewshed(const raster *dem, long r0, long c0, double eye, unsigned char **seen)
{
    long visible = 0;

    /* OMP: parallel for reduction(+:visible) schedule(dynamic, 8) */
    for (long i = 0; i < dem->nrow; i++) {
        unsigned char *s = seen[i];

        for (long j = 0; j < dem->ncol; j++) {
            *s = (unsigned char)line_of_sight(dem, r0, c0, eye, i, j);
            visible += *s++;
        }
    }
    return visible;
}

static void resample(const raster *from, raster *to, sampler get)
{
    const double ky = (from->nrow - 1.0) / (to->nrow - 1), kx = (from->ncol - 1.0) / (to->ncol - 1);

    /* OMP: parallel for schedule(static) */
    for (long i = 0; i < to->nrow; i++)
        for (long j = 0; j < to->ncol; j++)
            to->z[i][j] = get(from, i * ky, j * kx);
}

int main(int argc, char **argv)
{
    enum { DEM, SLOPE, ASPECT, ACC, FINE, N_RASTERS };
    static const char *const title[N_RASTERS] = { "dem", "slope", "aspect", "flow", "fine" };
    const long nr = argc > 1 ? atol(argv[1]) : 400, nc = argc > 2 ? atol(argv[2]) : 480;
    struct hill hills[40];
    raster map[N_RASTERS] = { 0 };
    unsigned char **mask = NULL, *cells = NULL;
    long pits, visible;
    int k, rc = 1;

    if (nr < 8 || nc < 8) {
        fputs("usage: terra [rows] [columns], at least 8 each\n", stderr);
        return 2;
    }
    for (k = 0; k < FINE; k++)
        if (!raster_init(&map[k], nr, nc, 25.0))
            goto out;
    if (!raster_init(&map[FINE], nr * 3 / 2, nc * 3 / 2, 25.0 / 1.5))
        goto out;
    mask = malloc((size_t)nr * sizeof *mask);
    cells = malloc((size_t)(nr * nc));
    if (!mask || !cells)
        goto out;
    for (long i = 0; i < nr; i++)
        mask[i] = cells + i * nc;

    scatter_hills(hills, 40, nr, nc);
    build_terrain(&map[DEM], hills, 40);
    slope_aspect(&map[DEM], &map[SLOPE], &map[ASPECT]);
    flow_directions(&map[DEM], mask);
    pits = flow_accumulation(mask, &map[ACC]);
    if (pits < 0)
        goto out;
    visible = viewshed(&map[DEM], nr / 2, nc / 3, 30.0, mask);
    resample(&map[DEM], &map[FINE], argc > 3 && !strcmp(argv[3], "nearest") ? sample_nearest : sample_bilinear);

    for (k = 0; k < N_RASTERS; k++) {
        struct summary s;

        summarize(&map[k], &s);
        printf("%-7s n=%ld mean=%.5g min=%.4g max=%.5g\n", title[k], s.valid, s.mean, s.min, s.max);
    }
    printf("pits=%ld visible=%ld\n", pits, visible);
    rc = 0;
out:
    if (rc)
        fputs("terra: out of memory\n", stderr);
    free(cells);
    free(mask);
    for (k = 0; k < N_RASTERS; k++)
        raster_free(&map[k]);
    return rc;
}
