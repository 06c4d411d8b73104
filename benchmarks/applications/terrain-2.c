/* terrain.c - the usual DEM chain: fill sinks, hillshade, flow, focal, zonal */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <math.h>
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

#define NODATA (-9999.0f)
#define IS_NODATA(v) ((v) <= -9998.0f)

typedef struct { int nrows, ncols; double cellsize; float **row; } raster_t;
typedef struct { int count; double sum; float min, max; } zone_t;
typedef struct { float z; int32_t id; } hnode_t;
typedef struct { hnode_t *a; int n; } heap_t;

static const int DR[8] = { 0, 1, 1, 1, 0, -1, -1, -1 };
static const int DC[8] = { 1, 1, 0, -1, -1, -1, 0, 1 };

static raster_t *raster_new(int nr, int nc)
{
    raster_t *r = malloc(sizeof *r);
    r->nrows = nr; r->ncols = nc; r->cellsize = 10.0;
    r->row = malloc(nr * sizeof *r->row);
    for (int i = 0; i < nr; i++)
        r->row[i] = malloc(nc * sizeof **r->row);
    return r;
}

static void raster_free(raster_t *r)
{
    for (int i = 0; i < r->nrows; i++) free(r->row[i]);
    free(r->row); free(r);
}

static double lattice(int x, int y)
{
    uint32_t h = (uint32_t)x * 374761393u + (uint32_t)y * 668265263u;
    h = (h ^ (h >> 13)) * 1274126177u;
    return ((h ^ (h >> 16)) & 0xffffff) / 16777216.0;
}

static double vnoise(double x, double y)
{
    int xi = (int)x, yi = (int)y;
    double fx = x - xi, fy = y - yi;
    fx = fx * fx * (3 - 2 * fx); fy = fy * fy * (3 - 2 * fy);
    double a = lattice(xi, yi), b = lattice(xi + 1, yi), c = lattice(xi, yi + 1), d = lattice(xi + 1, yi + 1);
    return a + fx * (b - a) + fy * (c - a + fx * (a - b - c + d));
}

static void make_dem(raster_t *dem)
{
    /* OMP: parallel for schedule(static) */
    for (int r = 0; r < dem->nrows; r++)
        for (int c = 0; c < dem->ncols; c++) {
            double z = 0, amp = 400, f = 1.0 / 128;
            for (int o = 0; o < 5; o++, amp *= 0.5, f *= 2.0)
                z += amp * vnoise(c * f, r * f);
            dem->row[r][c] = (float)(floor(z * 100 + 0.5) / 100);
            if ((r - 60) * (r - 60) + (c - 90) * (c - 90) < 900)
                dem->row[r][c] = NODATA;
        }
}

static void heap_push(heap_t *h, float z, int32_t id)
{
    int i = h->n++;
    while (i > 0 && h->a[(i - 1) / 2].z > z) {
        h->a[i] = h->a[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->a[i].z = z; h->a[i].id = id;
}

static hnode_t heap_pop(heap_t *h)
{
    hnode_t top = h->a[0], last = h->a[--h->n];
    int i = 0, k;
    while ((k = 2 * i + 1) < h->n) {
        if (k + 1 < h->n && h->a[k + 1].z < h->a[k].z) k++;
        if (h->a[k].z >= last.z) break;
        h->a[i] = h->a[k]; i = k;
    }
    h->a[i] = last;
    return top;
}

static int fill_sinks(raster_t *dem)
{
    int nr = dem->nrows, nc = dem->ncols, raised = 0;
    uint8_t *seen = calloc((size_t)nr * nc, 1);
    heap_t h = { malloc((size_t)nr * nc * sizeof(hnode_t)), 0 };
    for (int r = 0; r < nr; r++)
        for (int c = 0; c < nc; c++)
            if (r == 0 || c == 0 || r == nr - 1 || c == nc - 1 || IS_NODATA(dem->row[r][c])) {
                seen[r * nc + c] = 1;
                heap_push(&h, dem->row[r][c], r * nc + c);
            }
    while (h.n) {
        hnode_t t = heap_pop(&h);
        int r = t.id / nc, c = t.id % nc;
        for (int k = 0; k < 8; k++) {
            int rr = r + DR[k], cc = c + DC[k];
            if (rr < 0 || cc < 0 || rr >= nr || cc >= nc || seen[rr * nc + cc]) continue;
            seen[rr * nc + cc] = 1;
            float lim = IS_NODATA(t.z) ? 0.0f : t.z + 0.002f;
            if (dem->row[rr][cc] < lim) { dem->row[rr][cc] = lim; raised++; }
            heap_push(&h, dem->row[rr][cc], rr * nc + cc);
        }
    }
    free(h.a); free(seen);
    return raised;
}

static void hillshade(const raster_t *dem, uint8_t **shade, double az, double alt)
{
    const double zen = (90 - alt) * M_PI / 180, azr = (450 - az) * M_PI / 180;
    const double cz = cos(zen), sz = sin(zen);
    /* OMP: parallel for schedule(static) */
    for (int r = 1; r < dem->nrows - 1; r++) {
        const float *u = dem->row[r - 1], *m = dem->row[r], *d = dem->row[r + 1];
        for (int c = 1; c < dem->ncols - 1; c++) {
            if (IS_NODATA(m[c])) { shade[r][c] = 0; continue; }
            double dx = (u[c + 1] + 2 * m[c + 1] + d[c + 1] - u[c - 1] - 2 * m[c - 1] - d[c - 1]) / (8 * dem->cellsize);
            double dy = (d[c - 1] + 2 * d[c] + d[c + 1] - u[c - 1] - 2 * u[c] - u[c + 1]) / (8 * dem->cellsize);
            double slope = atan(sqrt(dx * dx + dy * dy)), asp = atan2(dy, -dx);
            double v = 255 * (cz * cos(slope) + sz * sin(slope) * cos(azr - asp));
            shade[r][c] = (uint8_t)(v < 0 ? 0 : v);
        }
    }
}

static void flow_dir(const raster_t *dem, int8_t *dir)
{
    int r, c, k;
    memset(dir, -1, (size_t)dem->nrows * dem->ncols);
    /* OMP: parallel for private(c, k) */
    for (r = 1; r < dem->nrows - 1; r++)
        for (c = 1; c < dem->ncols - 1; c++) {
            float best = 0;
            if (IS_NODATA(dem->row[r][c])) continue;
            for (k = 0; k < 8; k++) {
                float drop = (dem->row[r][c] - dem->row[r + DR[k]][c + DC[k]]) * (k & 1 ? 0.70710678f : 1.0f);
                if (drop > best) { best = drop; dir[r * dem->ncols + c] = (int8_t)k; }
            }
        }
}

static int flow_acc(const int8_t *dir, int nr, int nc, int *acc)
{
    uint8_t *indeg = calloc((size_t)nr * nc, 1);
    int *queue = malloc((size_t)nr * nc * sizeof *queue), qh = 0, qt = 0, best = 0;
    for (int i = 0; i < nr * nc; i++)
        if (dir[i] >= 0) indeg[i + DR[dir[i]] * nc + DC[dir[i]]]++;
    for (int i = 0; i < nr * nc; i++) {
        acc[i] = 1;
        if (!indeg[i]) queue[qt++] = i;
    }
    while (qh < qt) {
        int i = queue[qh++];
        if (acc[i] > best) best = acc[i];
        if (dir[i] < 0) continue;
        int j = i + DR[dir[i]] * nc + DC[dir[i]];
        acc[j] += acc[i];
        if (--indeg[j] == 0) queue[qt++] = j;
    }
    free(indeg); free(queue);
    return best;
}

static void focal_range(const raster_t *in, raster_t *out, int rad)
{
    /* OMP: parallel for schedule(static) */
    for (int r = 0; r < in->nrows; r++)
        for (int c = 0; c < in->ncols; c++) {
            float lo = 1e30f, hi = -1e30f;
            for (int y = r - rad; y <= r + rad; y++) {
                if (y < 0 || y >= in->nrows) continue;
                for (int x = c < rad ? 0 : c - rad; x <= c + rad && x < in->ncols; x++) {
                    float v = in->row[y][x];
                    if (IS_NODATA(v)) continue;
                    if (v < lo) lo = v;
                    if (v > hi) hi = v;
                }
            }
            out->row[r][c] = hi < lo ? NODATA : hi - lo;
        }
}

int main(void)
{
    enum { NR = 860, NC = 900 };
    raster_t *dem = raster_new(NR, NC), *rng = raster_new(NR, NC);
    uint8_t **shade = malloc(NR * sizeof *shade);
    for (int r = 0; r < NR; r++) shade[r] = calloc(NC, 1);
    int8_t *dir = malloc(NR * NC); int *acc = malloc(sizeof(int) * NR * NC);
    zone_t zone[16];
    make_dem(dem);
    int raised = fill_sinks(dem);
    hillshade(dem, shade, 315, 45);
    flow_dir(dem, dir);
    int outlet = flow_acc(dir, NR, NC, acc);
    focal_range(dem, rng, 3);
    for (int z = 0; z < 16; z++) zone[z] = (zone_t){ 0, 0, 1e30f, -1e30f };
    for (int r = 0; r < NR; r++)
        for (int c = 0; c < NC; c++) {
            zone_t *z = &zone[shade[r][c] >> 4];
            float v = rng->row[r][c];
            if (IS_NODATA(v)) continue;
            z->count++; z->sum += v;
            if (v < z->min) z->min = v;
            if (v > z->max) z->max = v;
        }
    printf("raised %d outlet %d\n", raised, outlet);
    for (int z = 0; z < 16; z += 5)
        if (zone[z].count) printf("zone %2d n/100 %d mean %.2f max %.2f\n", z, zone[z].count / 100, zone[z].sum / zone[z].count, zone[z].max);
    for (int r = 0; r < NR; r++) free(shade[r]);
    free(shade); free(dir); free(acc);
    raster_free(dem); raster_free(rng);
    return 0;
}
