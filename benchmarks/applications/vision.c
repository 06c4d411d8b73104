/* b1_vision.c - inspection of a machined part, as done on the line: median ->
 * bilateral -> Sauvola binarisation (integral images) -> Sobel -> Hough lines.
 * usage: b1_vision [width height [seed]] */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <math.h>

#define MEDIAN_R   3
#define BILAT_R    4
#define BILAT_D    (2 * BILAT_R + 1)
#define N_THETA    540
#define MAX_PEAKS  5

typedef struct { int w, h; size_t pitch; uint8_t *pix; } gray_t;
typedef struct { int w, h; uint32_t *sum; uint64_t *sq; } integral_t;   /* (w+1) x (h+1) */
typedef struct { int16_t x, y; uint16_t mag; } edge_t;
typedef struct { int theta, rho, votes; } peak_t;
typedef struct { int n_rho, rho0, *acc; } hough_t;      /* N_THETA x n_rho */

#define PX(im, x, y)   ((im)->pix[(size_t)(y) * (im)->pitch + (size_t)(x)])
#define CLAMP(v, a, b) ((v) < (a) ? (a) : (v) > (b) ? (b) : (v))

static float g_space[BILAT_D * BILAT_D];
static float g_range[256];
static float g_cos[N_THETA], g_sin[N_THETA];
static uint32_t lcg_state = 12345u;

static uint32_t lcg(void)
{
    lcg_state = lcg_state * 1664525u + 1013904223u;
    return lcg_state >> 8;
}

static void *xalloc(size_t n)
{
    void *p = calloc(1, n);
    if (!p) { fprintf(stderr, "out of memory (%zu bytes)\n", n); exit(EXIT_FAILURE); }
    return p;
}

static gray_t *gray_new(int w, int h)
{
    gray_t *g = xalloc(sizeof *g);
    g->w = w;
    g->h = h;
    g->pitch = ((size_t)w + 31) & ~(size_t)31;
    g->pix = xalloc(g->pitch * (size_t)h);
    return g;
}

static void init_tables(double sigma_s, double sigma_r)
{
    for (int dy = -BILAT_R; dy <= BILAT_R; dy++)
        for (int dx = -BILAT_R; dx <= BILAT_R; dx++)
            g_space[(dy + BILAT_R) * BILAT_D + dx + BILAT_R] =
                (float)exp(-(dx * dx + dy * dy) / (2 * sigma_s * sigma_s));
    for (int i = 0; i < 256; i++)
        g_range[i] = (float)exp(-(double)i * i / (2 * sigma_r * sigma_r));
    for (int t = 0; t < N_THETA; t++) {
        g_cos[t] = (float)cos(M_PI * t / N_THETA);
        g_sin[t] = (float)sin(M_PI * t / N_THETA);
    }
}

static void draw_scene(gray_t *im)
{
    for (int y = 0; y < im->h; y++)
        for (int x = 0; x < im->w; x++)
            PX(im, x, y) = (uint8_t)(60 + 40 * x / im->w + 20 * y / im->h);
    for (int k = 0; k < 40; k++) {
        int rw = 20 + (int)(lcg() % (unsigned)(im->w / 5 + 1));
        int rh = 20 + (int)(lcg() % (unsigned)(im->h / 5 + 1));
        int x0 = (int)(lcg() % (unsigned)im->w), y0 = (int)(lcg() % (unsigned)im->h);
        if (x0 + rw > im->w) rw = im->w - x0;
        for (int y = y0; y < y0 + rh && y < im->h; y++) memset(&PX(im, x0, y), 110 + k * 3, (size_t)rw);
    }
    for (uint8_t *p = im->pix, *end = p + im->pitch * (size_t)im->h; p < end; p++) {
        uint32_t r = lcg();
        if (r % 50 == 0) { *p = (r & 64) ? 255 : 0; continue; }     /* salt and pepper */
        int v = *p + (int)(r % 21) - 10;
        *p = (uint8_t)CLAMP(v, 0, 255);
    }
}

/* Huang's sliding-histogram median, one histogram per row. */
static void median_filter(const gray_t *src, gray_t *dst)
{
    const int w = src->w, h = src->h, half = (2 * MEDIAN_R + 1) * (2 * MEDIAN_R + 1) / 2;

    /* OMP: parallel for schedule(static) */
    for (int y = 0; y < h; y++) {
        uint16_t hist[256];
        const uint8_t *rows[2 * MEDIAN_R + 1];
        int med = 0, below = 0;

        memset(hist, 0, sizeof hist);
        for (int k = -MEDIAN_R; k <= MEDIAN_R; k++)
            rows[k + MEDIAN_R] = src->pix + (size_t)CLAMP(y + k, 0, h - 1) * src->pitch;
        for (int k = 0; k < 2 * MEDIAN_R + 1; k++)
            for (int dx = -MEDIAN_R; dx <= MEDIAN_R; dx++)
                hist[rows[k][CLAMP(dx, 0, w - 1)]]++;
        for (int x = 0; x < w; x++) {
            if (x > 0) {
                int xo = CLAMP(x - MEDIAN_R - 1, 0, w - 1), xi = CLAMP(x + MEDIAN_R, 0, w - 1);
                for (int k = 0; k < 2 * MEDIAN_R + 1; k++) {
                    uint8_t out = rows[k][xo], in = rows[k][xi];
                    hist[out]--;
                    if (out < med) below--;
                    hist[in]++;
                    if (in < med) below++;
                }
            }
            while (below > half) below -= hist[--med];
            while (below + hist[med] <= half) below += hist[med++];
            PX(dst, x, y) = (uint8_t)med;
        }
    }
}

static uint8_t bilateral_at(const gray_t *im, int cx, int cy)
{
    const int centre = PX(im, cx, cy);
    float num = 0.f, den = 0.f;
    const float *sp = g_space;
    for (int dy = -BILAT_R; dy <= BILAT_R; dy++) {
        const uint8_t *row = &PX(im, 0, CLAMP(cy + dy, 0, im->h - 1));
        for (int dx = -BILAT_R; dx <= BILAT_R; dx++, sp++) {
            int v = row[CLAMP(cx + dx, 0, im->w - 1)];
            float wgt = *sp * g_range[abs(v - centre)];
            num += wgt * (float)v;
            den += wgt;
        }
    }
    return (uint8_t)(num / den + 0.5f);
}

static void bilateral_filter(const gray_t *src, gray_t *dst)
{
    /* OMP: parallel for schedule(static) */
    for (int y = 0; y < src->h; y++)
        for (int x = 0; x < src->w; x++)
            PX(dst, x, y) = bilateral_at(src, x, y);
}

static void integral_build(integral_t *ii, const gray_t *im)
{
    const size_t s = (size_t)im->w + 1;
    ii->w = im->w; ii->h = im->h;
    ii->sum = xalloc(s * ((size_t)im->h + 1) * sizeof *ii->sum);
    ii->sq = xalloc(s * ((size_t)im->h + 1) * sizeof *ii->sq);
    for (int y = 0; y < im->h; y++) {
        uint32_t rs = 0;
        uint64_t rq = 0;
        const uint8_t *p = &PX(im, 0, y);
        size_t o = ((size_t)y + 1) * s + 1;
        for (int x = 0; x < im->w; x++, o++) {
            rs += p[x];
            rq += (uint64_t)p[x] * p[x];
            ii->sum[o] = ii->sum[o - s] + rs;
            ii->sq[o] = ii->sq[o - s] + rq;
        }
    }
}

static void box_stats(const integral_t *ii, int x0, int y0, int x1, int y1, float *mean, float *sdev)
{
    const size_t s = (size_t)ii->w + 1;
    const size_t a = (size_t)y0 * s + (size_t)x0, b = (size_t)y0 * s + (size_t)x1;
    const size_t c = (size_t)y1 * s + (size_t)x0, d = (size_t)y1 * s + (size_t)x1;
    double n = (double)(x1 - x0) * (y1 - y0);
    double m = (double)(ii->sum[d] + ii->sum[a] - ii->sum[b] - ii->sum[c]) / n;
    double q = (double)(ii->sq[d] + ii->sq[a] - ii->sq[b] - ii->sq[c]) / n - m * m;
    *mean = (float)m;
    *sdev = q > 0 ? (float)sqrt(q) : 0.f;
}

/* Sauvola: foreground = darker than the local threshold. */
static long sauvola(const gray_t *im, const integral_t *ii, gray_t *bin, int r, float k)
{
    long nfg = 0;
    /* OMP: parallel for schedule(static) reduction(+:nfg) */
    for (int y = 0; y < im->h; y++) {
        int y0 = CLAMP(y - r, 0, im->h), y1 = CLAMP(y + r + 1, 0, im->h);
        for (int x = 0; x < im->w; x++) {
            float mean, sd;
            box_stats(ii, CLAMP(x - r, 0, im->w), y0, CLAMP(x + r + 1, 0, im->w), y1, &mean, &sd);
            uint8_t fg = PX(im, x, y) < mean * (1.f + k * (sd / 128.f - 1.f));
            PX(bin, x, y) = fg;
            nfg += fg;
        }
    }
    return nfg;
}

static edge_t *sobel_edges(const gray_t *im, int thr, size_t *n_out)
{
    size_t cap = 4096, n = 0;
    edge_t *list = xalloc(cap * sizeof *list);
    for (int y = 1; y < im->h - 1; y++) {
        const uint8_t *a = &PX(im, 0, y - 1), *b = &PX(im, 0, y), *c = &PX(im, 0, y + 1);
        for (int x = 1; x < im->w - 1; x++) {
            int gx = a[x + 1] + 2 * b[x + 1] + c[x + 1] - a[x - 1] - 2 * b[x - 1] - c[x - 1];
            int gy = c[x - 1] + 2 * c[x] + c[x + 1] - a[x - 1] - 2 * a[x] - a[x + 1];
            int m = abs(gx) + abs(gy);
            if (m < thr) continue;
            if (n == cap && !(list = realloc(list, (cap *= 2) * sizeof *list))) exit(EXIT_FAILURE);
            list[n++] = (edge_t){ (int16_t)x, (int16_t)y, (uint16_t)m };
        }
    }
    *n_out = n;
    return list;
}

static void hough_vote(hough_t *ht, const edge_t *e, size_t n)
{
    /* one theta = one accumulator row, so the threads never meet */
    /* OMP: parallel for schedule(static) */
    for (int t = 0; t < N_THETA; t++) {
        int *row = ht->acc + (size_t)t * (size_t)ht->n_rho;
        const float ct = g_cos[t], st = g_sin[t];
        for (const edge_t *p = e; p != e + n; ++p)
            row[(int)((float)p->x * ct + (float)p->y * st + 0.5f + (float)ht->rho0)]++;
    }
}

static int hough_peaks(hough_t *ht, peak_t *pk, int want, int min_votes)
{
    int got = 0;
    while (got < want) {
        peak_t best = { -1, -1, min_votes - 1 };
        for (int t = 0; t < N_THETA; t++)
            for (int r = 0; r < ht->n_rho; r++)
                if (ht->acc[t * ht->n_rho + r] > best.votes)
                    best = (peak_t){ t, r, ht->acc[t * ht->n_rho + r] };
        if (best.theta < 0) break;
        for (int t = best.theta - 8; t <= best.theta + 8; t++) {
            if (t < 0 || t >= N_THETA) continue;
            memset(ht->acc + t * ht->n_rho + (best.rho > 10 ? best.rho - 10 : 0), 0, 21 * sizeof(int));
        }
        pk[got++] = best;
    }
    return got;
}

int main(int argc, char **argv)
{
    int w = argc > 2 ? atoi(argv[1]) : 3200, h = argc > 2 ? atoi(argv[2]) : 2400;
    if (argc > 3) lcg_state = (uint32_t)strtoul(argv[3], NULL, 0);
    if (w < 32 || h < 32 || w > 16000 || h > 16000) { fprintf(stderr, "width and height: 32..16000\n"); return 1; }
    gray_t *a = gray_new(w, h), *b = gray_new(w, h), *bin = gray_new(w, h), *tmp;
    integral_t ii;
    peak_t pk[MAX_PEAKS];
    size_t n_edges;

    init_tables(2.0, 18.0);
    draw_scene(a);
    median_filter(a, b);
    tmp = a; a = b; b = tmp;
    bilateral_filter(a, b);
    tmp = a; a = b; b = tmp;

    integral_build(&ii, a);
    long nfg = sauvola(a, &ii, bin, 20, 0.12f);

    edge_t *edges = sobel_edges(a, 90, &n_edges);
    hough_t ht = { .rho0 = (int)hypot(w, h) + 2 };
    ht.n_rho = 2 * ht.rho0 + 32;
    ht.acc = xalloc((size_t)N_THETA * (size_t)ht.n_rho * sizeof *ht.acc);
    hough_vote(&ht, edges, n_edges);
    int npk = hough_peaks(&ht, pk, MAX_PEAKS, 50);

    printf("image sum %u  foreground %ld  edges %zu\n",
           ii.sum[((size_t)w + 1) * ((size_t)h + 1) - 1], nfg, n_edges);
    for (int i = 0; i < npk; i++)
        printf("line %2d: theta %6.2f rho %6d votes %d\n", i, 180.0 * pk[i].theta / N_THETA,
               pk[i].rho - ht.rho0, pk[i].votes);
    return 0;
}
