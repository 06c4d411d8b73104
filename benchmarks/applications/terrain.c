/* b5_terrain.c - terrain products: DEM from scattered soundings (IDW), hillshade,
 * cumulative viewshed, steepest-descent drainage, statistics per parcel polygon.
 * usage: b5_terrain [rows cols [npoints]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>

#define NODATA     (-9999.0f)
#define CELLSIZE   10.0
#define BUCKET     24                   /* cells per side of a sounding bucket */
#define DEG        (M_PI / 180.0)
#define SQ(x)      ((x) * (x))

typedef struct { double x, y; float z; int next; } sounding_t;
typedef struct { double x, y; } pt_t;
typedef struct {
    int nrows, ncols, minrow, mincol;
    float **z, zmin, zmax;              /* z: row pointers into one block */
} raster_t;

typedef struct {
    pt_t *v;
    int nv;
    double xmin, ymin, xmax, ymax, zsum, shade;
    float zlo, zhi;
    unsigned cells, seen;
} parcel_t;
typedef struct { int row, col; double height, reach; } observer_t;
static struct { int nbx, nby, *head; sounding_t *pts; } index_;

static uint32_t lcg_s = 77u;
static double rnd(void) { lcg_s = 1664525u * lcg_s + 1013904223u; return (lcg_s >> 8) / 16777216.0; }

static void fail(const char *what) { fprintf(stderr, "b5_terrain: %s\n", what); exit(1); }

static raster_t *raster_new(int nrows, int ncols)
{
    int i;
    raster_t *r = calloc(1, sizeof(raster_t));
    if (r == NULL || (r->z = malloc(nrows * sizeof(float *))) == NULL ||
        (r->z[0] = calloc((size_t)nrows * ncols, sizeof(float))) == NULL) fail("out of memory");
    for (i = 1; i < nrows; i++) r->z[i] = r->z[i - 1] + ncols;
    r->nrows = nrows; r->ncols = ncols;
    return r;
}

static double true_height(double x, double y)
{
    return 300 + 120 * sin(x / 900) * cos(y / 1300) + 60 * sin((x + 2 * y) / 410) + 18 * cos((3 * x - y) / 170)
         + 200 * exp(-(SQ(x - 3000) + SQ(y - 2500)) / 6e5);
}

static void scatter_soundings(int npts, int nrows, int ncols)
{
    int i, b;
    index_.nbx = ncols / BUCKET + 1; index_.nby = nrows / BUCKET + 1;
    index_.head = malloc((size_t)index_.nbx * index_.nby * sizeof(int));
    index_.pts = malloc(npts * sizeof(sounding_t));
    if (!index_.head || !index_.pts) fail("out of memory");
    memset(index_.head, -1, (size_t)index_.nbx * index_.nby * sizeof(int));
    for (i = 0; i < npts; i++) {
        sounding_t *s = &index_.pts[i];
        s->x = rnd() * ncols * CELLSIZE;
        s->y = rnd() * nrows * CELLSIZE;
        s->z = (float)(true_height(s->x, s->y) + rnd() - 0.5);
        b = (int)(s->y / (CELLSIZE * BUCKET)) * index_.nbx + (int)(s->x / (CELLSIZE * BUCKET));
        s->next = index_.head[b]; index_.head[b] = i;
    }
}

/* inverse distance squared over the 3x3 buckets around; exact on a sounding */
static float idw_at(double x, double y)
{
    int bx = (int)(x / (CELLSIZE * BUCKET)), by = (int)(y / (CELLSIZE * BUCKET)), i, j, k;
    double num = 0, den = 0;
    for (j = by - 1; j <= by + 1; j++)
        for (i = bx - 1; i <= bx + 1; i++) {
            if (i < 0 || i >= index_.nbx || j < 0 || j >= index_.nby) continue;
            for (k = index_.head[j * index_.nbx + i]; k >= 0; k = index_.pts[k].next) {
                const sounding_t *s = index_.pts + k;
                double d2 = SQ(s->x - x) + SQ(s->y - y);
                if (d2 < 1e-6) return s->z;
                num += s->z / d2; den += 1.0 / d2;
            }
        }
    return den > 0 ? (float)(num / den) : NODATA;
}

static long grid_dem(raster_t *dem)
{
    int row, col;
    long holes = 0;
    /* OMP: parallel for private(col) schedule(dynamic,8) reduction(+:holes) */
    for (row = 0; row < dem->nrows; row++)
        for (col = 0; col < dem->ncols; col++) {
            dem->z[row][col] = idw_at((col + 0.5) * CELLSIZE, (row + 0.5) * CELLSIZE);
            if (dem->z[row][col] == NODATA) holes++;
        }
    dem->zmin = 1e30f; dem->zmax = -1e30f;
    for (row = 0; row < dem->nrows; row++)
        for (col = 0; col < dem->ncols; col++) {
            float z = dem->z[row][col];
            if (z == NODATA) continue;
            if (z < dem->zmin) { dem->zmin = z; dem->minrow = row; dem->mincol = col; }
            if (z > dem->zmax) dem->zmax = z;
        }
    return holes;
}

/* Horn's gradient, several suns blended */
static double hillshade(const raster_t *dem, raster_t *out, int nsun)
{
    const double zen = 45 * DEG;
    int r, c, s;
    double gx, gy, slope, aspect, acc, total = 0;
    float *up, *mid, *down;
    /* OMP: parallel for schedule(static) private(c,s,gx,gy,slope,aspect,acc,up,mid,down) reduction(+:total) */
    for (r = 1; r < dem->nrows - 1; r++) {
        up = dem->z[r - 1]; mid = dem->z[r]; down = dem->z[r + 1];
        for (c = 1; c < dem->ncols - 1; c++) {
            gx = (up[c + 1] + 2 * mid[c + 1] + down[c + 1] - up[c - 1] - 2 * mid[c - 1] - down[c - 1]) / (8 * CELLSIZE);
            gy = (down[c - 1] + 2 * down[c] + down[c + 1] - up[c - 1] - 2 * up[c] - up[c + 1]) / (8 * CELLSIZE);
            slope = atan(sqrt(gx * gx + gy * gy));
            aspect = atan2(gy, -gx);
            acc = 0;
            for (s = 0; s < nsun; s++) {
                double h = cos(zen) * cos(slope) + sin(zen) * sin(slope) * cos((315 - 40 * s) * DEG - aspect);
                if (h > 0) acc += h;
            }
            out->z[r][c] = (float)(255 * acc / nsun);
            total += out->z[r][c];
        }
    }
    return total / ((double)(dem->nrows - 2) * (dem->ncols - 2));
}

/* march from the observer to the target, stop at the first higher horizon */
static int line_of_sight(const raster_t *dem, const observer_t *ob, int row, int col)
{
    int dr = row - ob->row, dc = col - ob->col, n = abs(dr) > abs(dc) ? abs(dr) : abs(dc), i;
    double z0, tan_t, dist = hypot(dr, dc) * CELLSIZE;
    if (n <= 1) return 1;
    if (dist > ob->reach) return 0;
    z0 = dem->z[ob->row][ob->col] + ob->height;
    tan_t = (dem->z[row][col] + 1.6 - z0) / dist;
    for (i = 1; i < n; i++) {
        double t = (double)i / n, fr = ob->row + t * dr, fc = ob->col + t * dc;
        int r0 = (int)fr, c0 = (int)fc;
        int r1 = r0 + 1 < dem->nrows ? r0 + 1 : r0, c1 = c0 + 1 < dem->ncols ? c0 + 1 : c0;
        double ar = fr - r0, ac = fc - c0;
        double z = (1 - ar) * ((1 - ac) * dem->z[r0][c0] + ac * dem->z[r0][c1])
                 + ar * ((1 - ac) * dem->z[r1][c0] + ac * dem->z[r1][c1]);
        if (z - z0 > tan_t * t * dist) break;
    }
    return i >= n;
}

static long viewshed(const raster_t *dem, const observer_t *obs, int nobs, uint8_t *seen)
{
    long visible = 0;
    int k, row;
    for (k = 0; k < nobs; k++) {
        const observer_t *ob = obs + k;
        /* OMP: parallel for schedule(dynamic,4) reduction(+:visible) */
        for (row = 0; row < dem->nrows; row++) {
            uint8_t *line = seen + (size_t)row * dem->ncols;
            for (int col = 0; col < dem->ncols; col++) {
                if (dem->z[row][col] == NODATA || !line_of_sight(dem, ob, row, col)) continue;
                line[col] |= (uint8_t)(1u << k);
                visible++;
            }
        }
    }
    return visible;
}

static int by_height(const void *a, const void *b)
{
    float za = **(float *const *)a, zb = **(float *const *)b;
    if (za != zb) return za < zb ? 1 : -1;
    return *(float *const *)a < *(float *const *)b ? -1 : 1;
}

/* D8 accumulation from the highest cell down; order matters */
static unsigned drainage(const raster_t *dem, unsigned *acc)
{
    size_t n = (size_t)dem->nrows * dem->ncols, i;
    float **order = malloc(n * sizeof *order);
    unsigned best = 0;
    if (!order) fail("out of memory");
    for (i = 0; i < n; i++) { order[i] = dem->z[0] + i; acc[i] = 1; }
    qsort(order, n, sizeof *order, by_height);
    for (i = 0; i < n; i++) {
        ptrdiff_t id = order[i] - dem->z[0], to = -1;
        int r = (int)(id / dem->ncols), c = (int)(id % dem->ncols), dr, dc;
        double drop = 0;
        for (dr = -1; dr <= 1; dr++)
            for (dc = -1; dc <= 1; dc++) {
                if (r + dr < 0 || r + dr >= dem->nrows || c + dc < 0 || c + dc >= dem->ncols || !(dr | dc)) continue;
                double d = (dem->z[r][c] - dem->z[r + dr][c + dc]) / (dr && dc ? M_SQRT2 : 1.0);
                if (d > drop) { drop = d; to = id + dr * dem->ncols + dc; }
            }
        if (to >= 0) acc[to] += acc[id];
        if (acc[id] > best) best = acc[id];
    }
    return best;
}

static int inside(const parcel_t *p, double x, double y)
{
    int in = 0;
    for (int i = 0, j = p->nv - 1; i < p->nv; j = i++)
        if ((p->v[i].y > y) != (p->v[j].y > y) &&
            x < (p->v[j].x - p->v[i].x) * (y - p->v[i].y) / (p->v[j].y - p->v[i].y) + p->v[i].x) in = !in;
    return in;
}

static void make_parcels(parcel_t *p, int n, double w, double h)
{
    for (; n-- > 0; p++) {
        double cx = rnd() * w, cy = rnd() * h, r0 = (0.01 + 0.07 * rnd()) * w;
        *p = (parcel_t){ .nv = 12 + (int)(rnd() * 60), .xmin = 1e30, .ymin = 1e30, .xmax = -1e30, .ymax = -1e30,
                         .zlo = 1e30f, .zhi = -1e30f };
        if (!(p->v = malloc(p->nv * sizeof(pt_t)))) fail("out of memory");
        for (int i = 0; i < p->nv; i++) {
            double r = r0 * (0.6 + 0.6 * rnd()), a = 2 * M_PI * i / p->nv;
            pt_t q = p->v[i] = (pt_t){ cx + r * cos(a), cy + r * sin(a) };
            p->xmin = fmin(p->xmin, q.x); p->xmax = fmax(p->xmax, q.x);
            p->ymin = fmin(p->ymin, q.y); p->ymax = fmax(p->ymax, q.y);
        }
    }
}

static void zonal(parcel_t *par, int n, const raster_t *dem, const raster_t *shade, const uint8_t *seen)
{
    /* OMP: parallel for schedule(dynamic) */
    for (int k = 0; k < n; k++) {
        parcel_t *p = &par[k];
        int r0 = (int)fmax(0, p->ymin / CELLSIZE), r1 = (int)fmin(dem->nrows - 1, p->ymax / CELLSIZE);
        int c0 = (int)fmax(0, p->xmin / CELLSIZE), c1 = (int)fmin(dem->ncols - 1, p->xmax / CELLSIZE);
        for (int r = r0; r <= r1; r++)
            for (int c = c0; c <= c1; c++) {
                if (!inside(p, (c + 0.5) * CELLSIZE, (r + 0.5) * CELLSIZE)) continue;
                float z = dem->z[r][c];
                p->cells++;
                p->zsum += z; p->shade += shade->z[r][c];
                if (z < p->zlo) p->zlo = z;
                if (z > p->zhi) p->zhi = z;
                p->seen += seen[(size_t)r * dem->ncols + c] != 0;
            }
    }
}

int main(int argc, char **argv)
{
    int nr = argc > 2 ? atoi(argv[1]) : 520, nc = argc > 2 ? atoi(argv[2]) : 640;
    int npts = argc > 3 ? atoi(argv[3]) : nr * nc / 40, npar = 150, k;
    if (nr < 16 || nc < 16 || npts < 1) fail("usage: b5_terrain [rows>=16 cols>=16 [npoints]]");
    raster_t *dem = raster_new(nr, nc), *shade = raster_new(nr, nc);
    uint8_t *seen = calloc((size_t)nr * nc, 1);
    unsigned *acc = malloc((size_t)nr * nc * sizeof *acc), visible_cells = 0;
    parcel_t *par = malloc(npar * sizeof *par);
    observer_t obs[] = { { nr / 3, nc / 4, 20, 6000 }, { nr / 2, nc / 2, 45, 4000 }, { 4 * nr / 5, 2 * nc / 3, 30, 5000 } };
    if (!seen || !acc || !par) fail("out of memory");
    scatter_soundings(npts, nr, nc);
    long holes = grid_dem(dem);
    double mean = hillshade(dem, shade, 4), zsum = 0, ssum = 0;
    long vis = viewshed(dem, obs, (int)(sizeof obs / sizeof *obs), seen);
    unsigned river = drainage(dem, acc);
    make_parcels(par, npar, nc * CELLSIZE, nr * CELLSIZE);
    zonal(par, npar, dem, shade, seen);
    for (k = 0; k < npar; k++) { zsum += par[k].zsum; ssum += par[k].shade; visible_cells += par[k].seen; }
    printf("dem %.3f..%.3f lowest at (%d,%d), holes %ld\n", dem->zmin, dem->zmax, dem->minrow, dem->mincol, holes);
    printf("hillshade mean %.6e, visible %ld, river %u\n", mean, vis, river);
    printf("parcels: z %.6e shade %.6e seen %u\n", zsum, ssum, visible_cells);
    return 0;
}
