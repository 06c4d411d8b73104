/*
 * volseg: denoise a CT-like phantom, look at it from a few angles and pull
 * out the dense organs (Otsu threshold, erosion, connected components).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NBINS   256
#define NVIEWS  3
#define MAXRAD  6

typedef unsigned char byte;

static const struct ellipsoid { float c[3], r[3], value; } body[] = {
    { { 0.50f, 0.50f, 0.50f }, { 0.46f, 0.44f, 0.40f },  0.30f },
    { { 0.36f, 0.46f, 0.48f }, { 0.12f, 0.16f, 0.22f }, -0.20f },
    { { 0.64f, 0.46f, 0.48f }, { 0.13f, 0.17f, 0.24f }, -0.20f },
    { { 0.50f, 0.76f, 0.50f }, { 0.06f, 0.07f, 0.34f },  0.55f },
    { { 0.52f, 0.34f, 0.56f }, { 0.09f, 0.08f, 0.10f },  0.35f },
    { { 0.70f, 0.68f, 0.34f }, { 0.08f, 0.08f, 0.08f },  0.42f },
    { { 0.66f, 0.50f, 0.58f }, { 0.04f, 0.04f, 0.04f },  0.50f },
};

static float ***alloc3(long nz, long ny, long nx)
{
    float ***v = malloc(nz * sizeof *v), **rows = malloc(nz * ny * sizeof *rows);
    float *data = calloc(nz * ny * nx, sizeof *data);
    long r;

    if (!v || !rows || !data) {
        free(v); free(rows); free(data);
        return NULL;
    }
    for (r = 0; r < nz * ny; r++)
        rows[r] = data + r * nx;
    for (r = 0; r < nz; r++)
        v[r] = rows + r * ny;
    return v;
}

static void free3(float ***v)
{
    if (!v)
        return;
    free(v[0][0]); free(v[0]); free(v);
}

/* noise that depends on the voxel alone */
static float grain(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    x ^= x >> 16;
    return (float)(x & 0xffff) / 65536.0f - 0.5f;
}

static void phantom(float ***v, long nz, long ny, long nx)
{
    const long nbody = sizeof body / sizeof body[0];
    long x, y, z, b;

    /* OMP: parallel for private(x, y, b) */
    for (z = 0; z < nz; z++)
        for (y = 0; y < ny; y++)
            for (x = 0; x < nx; x++) {
                unsigned id = (unsigned)((z * ny + y) * nx + x);
                float px = (x + 0.5f) / nx, py = (y + 0.5f) / ny, pz = (z + 0.5f) / nz;
                float s = 0.12f * grain(id);

                for (b = 0; b < nbody; b++) {
                    const struct ellipsoid *e = &body[b];
                    float dx = (px - e->c[0]) / e->r[0], dy = (py - e->c[1]) / e->r[1];
                    float dz = (pz - e->c[2]) / e->r[2];
                    if (dx * dx + dy * dy + dz * dz < 1.0f)
                        s += e->value;
                }
                v[z][y][x] = id % 61 ? s : s + 0.8f * grain(~id);   /* impulses */
            }
}

static inline long clampl(long i, long n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static float median_of(float *a, int n)
{
    int lo = 0, hi = n - 1, k = n / 2;

    while (lo < hi) {
        float pivot = a[k];
        int i = lo, j = hi;
        do {
            while (a[i] < pivot) i++;
            while (pivot < a[j]) j--;
            if (i <= j) {
                float t = a[i]; a[i++] = a[j]; a[j--] = t;
            }
        } while (i <= j);
        if (j < k) lo = i;
        if (k < i) hi = j;
    }
    return a[k];
}

static void median3(float ***in, float ***out, long nz, long ny, long nx)
{
    long x, y, z, i, j, k;

    /* OMP: parallel for private(x, y, i, j, k) schedule(dynamic,2) */
    for (z = 0; z < nz; z++)
        for (y = 0; y < ny; y++)
            for (x = 0; x < nx; x++) {
                float w[27], *p = w;
                for (k = z - 1; k <= z + 1; k++)
                    for (j = y - 1; j <= y + 1; j++)
                        for (i = x - 1; i <= x + 1; i++)
                            *p++ = in[clampl(k, nz)][clampl(j, ny)][clampl(i, nx)];
                out[z][y][x] = median_of(w, 27);
            }
}

static int gauss_kernel(double sigma, float *ker)
{
    int r = (int)fmin(MAXRAD, ceil(2.5 * sigma)), i;
    double sum = 0.0;

    for (i = -r; i <= r; i++)
        sum += exp(-i * i / (2.0 * sigma * sigma));
    for (i = -r; i <= r; i++)
        ker[i + r] = (float)(exp(-i * i / (2.0 * sigma * sigma)) / sum);
    return r;
}

/* blur within slices (rows first, into a line buffer), then across them */
static void smooth(float ***v, float ***tmp, long nz, long ny, long nx, double sigma)
{
    float ker[2 * MAXRAD + 1];
    const int r = gauss_kernel(sigma, ker);
    long x, y, z;
    int t;

    /* OMP: parallel for private(x, y, t) */
    for (z = nz - 1; z >= 0; z--) {
        for (y = 0; y < ny; y++) {
            float line[nx];
            memset(line, 0, sizeof line);
            for (t = -r; t <= r; t++) {
                const float *src = v[z][clampl(y + t, ny)];
                for (x = 0; x < nx; x++)
                    line[x] += ker[t + r] * src[x];
            }
            for (x = 0; x < nx; x++)
                for (t = -r, tmp[z][y][x] = 0.0f; t <= r; t++)
                    tmp[z][y][x] += ker[t + r] * line[clampl(x + t, nx)];
        }
    }
    /* OMP: parallel for private(x, z, t) */
    for (y = 0; y < ny; y++) {
        for (z = 0; z < nz; z++) {
            float *dst = memset(v[z][y], 0, nx * sizeof(float));
            for (t = -r; t <= r; t++) {
                const float *src = tmp[clampl(z + t, nz)][y];
                for (x = 0; x < nx; x++)
                    dst[x] += ker[t + r] * src[x];
            }
        }
    }
}

static float sample(float ***v, long nz, long ny, long nx, float z, float y, float x)
{
    long iz = (long)floorf(z), iy = (long)floorf(y), ix = (long)floorf(x);
    float fz = z - iz, fy = y - iy, fx = x - ix, c[2];
    int d;

    if (iz < 0 || iy < 0 || ix < 0 || iz >= nz - 1 || iy >= ny - 1 || ix >= nx - 1)
        return 0.0f;
    for (d = 0; d < 2; d++) {
        const float *a = v[iz + d][iy] + ix, *b = v[iz + d][iy + 1] + ix;
        c[d] = (a[0] + fx * (a[1] - a[0])) * (1.0f - fy) + (b[0] + fx * (b[1] - b[0])) * fy;
    }
    return c[0] + fz * (c[1] - c[0]);
}

/* maximum and mean along parallel rays turned about the z axis */
static void project(float ***v, long nz, long ny, long nx, double angle, double *mip, double *drr)
{
    const float ca = (float)cos(angle), sa = (float)sin(angle);
    const long half = nx / 2, depth = (long)(0.7 * (nx + ny));
    double summax = 0.0, sumall = 0.0;
    long row, u, s;

    /* OMP: parallel for private(u, s) reduction(+:summax,sumall) schedule(static) */
    for (row = 0; row < nz - 1; row++) {
        for (u = -half; u < half; u++) {
            float best = 0.0f, acc = 0.0f;
            for (s = -depth / 2; s < depth / 2; s++) {
                float val = sample(v, nz, ny, nx, row + 0.25f, ny / 2 + u * sa + s * ca,
                                   nx / 2 + u * ca - s * sa);
                best = val > best ? val : best;
                acc += val;
            }
            summax += best;
            sumall += acc;
        }
    }
    *mip = summax / ((nz - 1) * 2.0 * half);
    *drr = sumall / ((nz - 1) * 2.0 * half);
}

static float otsu(const float *vox, long n, float lo, float hi)
{
    long hist[NBINS] = { 0 }, i, w0 = 0;
    double sum = 0.0, part = 0.0, best = -1.0, d;
    int b, cut = 0;

    /* OMP: parallel for private(b) reduction(+:hist) */
    for (i = 0; i < n; i++) {
        b = (int)((vox[i] - lo) / (hi - lo) * NBINS);
        hist[b < 0 ? 0 : b >= NBINS ? NBINS - 1 : b]++;
    }
    for (b = 0; b < NBINS; b++)
        sum += (double)b * hist[b];
    for (b = 0; b < NBINS - 1; b++) {
        w0 += hist[b];
        part += (double)b * hist[b];
        if (w0 > 0 && w0 < n) {
            d = part / w0 - (sum - part) / (n - w0);
            if (d * d * w0 * (n - w0) > best) {
                best = d * d * w0 * (n - w0);
                cut = b;
            }
        }
    }
    return lo + (hi - lo) * (cut + 1) / NBINS;
}

/* 6-connected sets above thr (the body stays clear of the border); returns
   how many have at least minsize voxels, or -1 */
static long components(const float *vox, long nz, long ny, long nx, float thr, long minsize, long *largest)
{
    const long n = nz * ny * nx, step[6] = { 1, -1, nx, -nx, nx * ny, -nx * ny };
    long sp, i, p, q, d, size, count = 0, *stack = malloc(n * sizeof *stack);
    byte *seen = calloc(n, 1);

    for (i = *largest = 0; stack && seen && i < n; i++) {
        if (seen[i] || vox[i] <= thr)
            continue;
        for (stack[0] = i, sp = 1, size = 0, seen[i] = 1; sp > 0; size++) {
            p = stack[--sp];
            for (d = 0; d < 6; d++) {
                q = p + step[d];
                if (q >= 0 && q < n && !seen[q] && vox[q] > thr) {
                    seen[q] = 1;
                    stack[sp++] = q;
                }
            }
        }
        count += size >= minsize;
        *largest = size > *largest ? size : *largest;
    }
    count = stack && seen ? count : -1;
    free(stack);
    free(seen);
    return count;
}

int main(int argc, char **argv)
{
    long nx = argc > 1 ? strtol(argv[1], NULL, 10) : 96;
    long nz = argc > 2 ? strtol(argv[2], NULL, 10) : 64, ny = nx - nx / 8;
    float ***raw = NULL, ***vol = NULL, thr;
    long big = 0, parts;
    double mip, drr;
    int rc = EXIT_FAILURE, i;

    if (nx < 16 || nz < 16 || nx > 1024 || nz > 1024 || !(raw = alloc3(nz, ny, nx))
        || !(vol = alloc3(nz, ny, nx)))
        goto out;
    phantom(raw, nz, ny, nx);
    median3(raw, vol, nz, ny, nx);
    smooth(vol, raw, nz, ny, nx, 0.9);
    for (i = 0; i < NVIEWS; i++) {
        project(vol, nz, ny, nx, i * M_PI / NVIEWS + 0.1, &mip, &drr);
        printf("view %d: mip %.4g drr %.4g\n", i, mip, drr);
    }
    thr = otsu(vol[0][0], nz * ny * nx, 0.35f, 1.0f);
    if ((parts = components(vol[0][0], nz, ny, nx, thr, 30, &big)) < 0)
        goto out;
    printf("threshold %.4g, %ld organs, largest %ld\n", thr, parts, big);
    rc = EXIT_SUCCESS;
out:
    if (rc != EXIT_SUCCESS)
        fprintf(stderr, "volseg: bad size or no memory\n");
    free3(vol); free3(raw);
    return rc;
}
