/*
    flow.c

    Dense optical flow after Horn & Schunck (1981), coarse to fine.

    Two frames of a moving synthetic texture are made, so the true motion is
    known and the end-point error can be printed.

    Usage: flow [width] [height] [iterations]
*/

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define LEVELS_MAX   5
#define WARPS        2
#define ALPHA2       (12.0f * 12.0f)

struct level
{
    long   w, h;
    float *frame[2];
    float *u, *v;
};

static void *get_memory(size_t count, size_t size)
{
    void *p = calloc(count, size);

    if (!p)
    {
        fprintf(stderr, "flow: no memory\n");
        exit(EXIT_FAILURE);
    }
    return p;
}

static inline long clampl(long v, long lo, long hi)
{
    return v < lo ? lo : (v > hi ? hi : v);
}

/* pixel with the border repeated */
static inline float at(long h, long w, float img[h][w], long y, long x)
{
    return img[clampl(y, 0, h - 1)][clampl(x, 0, w - 1)];
}

static float bilinear(long h, long w, float img[h][w], float y, float x)
{
    long x0 = (long) floorf(x), y0 = (long) floorf(y);
    float fx = x - (float) x0, fy = y - (float) y0;
    float top = (1 - fx) * at(h, w, img, y0, x0) + fx * at(h, w, img, y0, x0 + 1);
    float bot = (1 - fx) * at(h, w, img, y0 + 1, x0) + fx * at(h, w, img, y0 + 1, x0 + 1);

    return (1 - fy) * top + fy * bot;
}

/* the true motion: a slow rotation about the middle, plus a shift */
static void true_motion(float y, float x, long h, long w, float *u, float *v)
{
    float cx = 0.5f * (float) w, cy = 0.5f * (float) h;

    *u = -0.012f * (y - cy) + 1.5f;
    *v = 0.012f * (x - cx) - 0.8f;
}

static float texture(float y, float x)
{
    return 128.0f + 45.0f * sinf(0.11f * x + 0.04f * y) + 35.0f * cosf(0.13f * y - 0.05f * x)
         + 20.0f * sinf(0.21f * x) * sinf(0.19f * y);
}

static void render(long h, long w, float a[h][w], float b[h][w])
{
    /* OMP: parallel for */
    for (long y = 0; y < h; y++)
        for (long x = 0; x < w; x++)
        {
            float u, v;

            true_motion((float) y, (float) x, h, w, &u, &v);
            a[y][x] = texture((float) y, (float) x);
            b[y][x] = texture((float) y - v, (float) x - u);
        }
}

static void blur(long h, long w, float src[h][w], float dst[h][w])
{
    static const float k[5] = { 0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f };
    float (*tmp)[w] = get_memory((size_t) h, sizeof *tmp);
    long x, y, d;

    /* OMP: parallel for private(x, d) if(h * w > 8192) */
    for (y = 0; y < h; y++)
        for (x = 0; x < w; x++)
        {
            float s = 0;
            for (d = -2; d <= 2; d++)
                s += k[d + 2] * at(h, w, src, y, x + d);
            tmp[y][x] = s;
        }
    /* OMP: parallel for private(x, d) if(h * w > 8192) */
    for (y = 0; y < h; y++)
        for (x = 0; x < w; x++)
        {
            float s = 0;
            for (d = -2; d <= 2; d++)
                s += k[d + 2] * at(h, w, tmp, y + d, x);
            dst[y][x] = s;
        }
    free(tmp);
}

static void halve(long h, long w, float src[h][w], long h2, long w2, float dst[h2][w2])
{
    float (*smooth)[w] = get_memory((size_t) h, sizeof *smooth);

    blur(h, w, src, smooth);
    for (long y = 0; y < h2; y++)
        for (long x = 0; x < w2; x++)
            dst[y][x] = at(h, w, smooth, 2 * y, 2 * x);
    free(smooth);
}

/* flow of the coarser level, enlarged and doubled */
static void enlarge(long h2, long w2, float src[h2][w2], long h, long w, float dst[h][w])
{
    /* OMP: parallel for if(h * w > 8192) */
    for (long y = 0; y < h; y++)
        for (long x = 0; x < w; x++)
            dst[y][x] = 2.0f * bilinear(h2, w2, src, 0.5f * (float) y, 0.5f * (float) x);
}

/* derivatives of frame 0 and of frame 1 taken back along (u, v) */
static void derivatives(long h, long w, float f0[h][w], float f1[h][w], float u[h][w],
                        float v[h][w], float ix[h][w], float iy[h][w], float it[h][w])
{
    float warped[h][w];

    /* OMP: parallel for */
    for (long y = 0; y < h; y++)
        for (long x = 0; x < w; x++)
            warped[y][x] = bilinear(h, w, f1, (float) y + v[y][x], (float) x + u[y][x]);

    /* OMP: parallel for */
    for (long y = 0; y < h; y++)
        for (long x = 0; x < w; x++)
        {
            float gx0 = at(h, w, f0, y, x + 1) - at(h, w, f0, y, x - 1);
            float gy0 = at(h, w, f0, y + 1, x) - at(h, w, f0, y - 1, x);
            float gx1 = at(h, w, warped, y, x + 1) - at(h, w, warped, y, x - 1);
            float gy1 = at(h, w, warped, y + 1, x) - at(h, w, warped, y - 1, x);

            ix[y][x] = 0.25f * (gx0 + gx1);
            iy[y][x] = 0.25f * (gy0 + gy1);
            it[y][x] = warped[y][x] - f0[y][x];
        }
}

static float neighbours(long h, long w, float f[h][w], long y, long x)
{
    return (at(h, w, f, y - 1, x) + at(h, w, f, y + 1, x) + at(h, w, f, y, x - 1)
            + at(h, w, f, y, x + 1)) / 6.0f
         + (at(h, w, f, y - 1, x - 1) + at(h, w, f, y - 1, x + 1)
            + at(h, w, f, y + 1, x - 1) + at(h, w, f, y + 1, x + 1)) / 12.0f;
}

/* the Horn-Schunck iteration, for the flow that remains after the warp */
static double relax(long h, long w, float u[h][w], float v[h][w], float f0[h][w],
                    float f1[h][w], int iterations)
{
    size_t n = (size_t) h;
    float (*ix)[w] = get_memory(n, sizeof *ix);
    float (*iy)[w] = get_memory(n, sizeof *iy);
    float (*it)[w] = get_memory(n, sizeof *it);
    float (*ub)[w] = get_memory(n, sizeof *ub);
    float (*vb)[w] = get_memory(n, sizeof *vb);
    float (*u0)[w] = get_memory(n, sizeof *u0);
    float (*v0)[w] = get_memory(n, sizeof *v0);
    double moved = 0;

    derivatives(h, w, f0, f1, u, v, ix, iy, it);
    memcpy(u0, u, n * sizeof *u0);
    memcpy(v0, v, n * sizeof *v0);

    while (iterations-- > 0)
    {
        /* OMP: parallel for if(h * w > 4096) */
        for (long y = 0; y < h; y++)
            for (long x = 0; x < w; x++)
            {
                ub[y][x] = neighbours(h, w, u, y, x);
                vb[y][x] = neighbours(h, w, v, y, x);
            }

        moved = 0;
        /* OMP: parallel for reduction(+:moved) if(h * w > 4096) */
        for (long y = 0; y < h; y++)
            for (long x = 0; x < w; x++)
            {
                float gx = ix[y][x], gy = iy[y][x];
                float t = it[y][x] + gx * (ub[y][x] - u0[y][x]) + gy * (vb[y][x] - v0[y][x]);
                float step = t / (ALPHA2 + gx * gx + gy * gy);
                float nu = ub[y][x] - gx * step, nv = vb[y][x] - gy * step;

                moved += fabsf(nu - u[y][x]) + fabsf(nv - v[y][x]);
                u[y][x] = nu;
                v[y][x] = nv;
            }
    }

    free(ix); free(iy); free(it); free(ub); free(vb); free(u0); free(v0);
    return moved / (double) (h * w);
}

static void report(long h, long w, float u[h][w], float v[h][w])
{
    double err = 0, worst = 0, su = 0, sv = 0;

    /* OMP: parallel for reduction(+:err,su,sv) reduction(max:worst) */
    for (long y = 0; y < h; y++)
        for (long x = 0; x < w; x++)
        {
            float tu, tv;

            true_motion((float) y, (float) x, h, w, &tu, &tv);
            double e = hypot(u[y][x] - tu, v[y][x] - tv);
            err += e;
            worst = e > worst ? e : worst;
            su += u[y][x];
            sv += v[y][x];
        }
    printf("mean flow %.5e %.5e\n", su / (double) (h * w), sv / (double) (h * w));
    printf("end-point error mean %.5e worst %.5e\n", err / (double) (h * w), worst);
}

int main(int argc, char **argv)
{
    struct level pyr[LEVELS_MAX];
    long width = argc > 1 ? atol(argv[1]) : 512;
    long height = argc > 2 ? atol(argv[2]) : 384;
    int iterations = argc > 3 ? atoi(argv[3]) : 120;
    int levels = 0;

    if (width < 16 || height < 16 || width * height > 640 * 480 || iterations < 1)
    {
        fprintf(stderr, "usage: %s [width] [height] [iterations]\n", argv[0]);
        return EXIT_FAILURE;
    }

    for (long w = width, h = height; levels < LEVELS_MAX && w >= 16 && h >= 16;
         w = (w + 1) / 2, h = (h + 1) / 2)
    {
        struct level *p = &pyr[levels++];

        p->w = w;
        p->h = h;
        p->u = get_memory((size_t) (w * h), sizeof(float));
        p->v = get_memory((size_t) (w * h), sizeof(float));
        for (int f = 0; f < 2; f++)
            p->frame[f] = get_memory((size_t) (w * h), sizeof(float));
    }

    render(height, width, (void *) pyr[0].frame[0], (void *) pyr[0].frame[1]);
    for (int k = 1; k < levels; k++)
        for (int f = 0; f < 2; f++)
            halve(pyr[k - 1].h, pyr[k - 1].w, (void *) pyr[k - 1].frame[f],
                  pyr[k].h, pyr[k].w, (void *) pyr[k].frame[f]);

    for (int k = levels - 1; k >= 0; k--)
    {
        struct level *p = &pyr[k];
        double moved = 0;

        if (k + 1 < levels)
        {
            struct level *c = p + 1;

            enlarge(c->h, c->w, (void *) c->u, p->h, p->w, (void *) p->u);
            enlarge(c->h, c->w, (void *) c->v, p->h, p->w, (void *) p->v);
        }
        for (int n = 0; n < WARPS; n++)
            moved = relax(p->h, p->w, (void *) p->u, (void *) p->v,
                          (void *) p->frame[0], (void *) p->frame[1], iterations);
        printf("level %d: %ld x %ld, last change %.4e\n", k, p->w, p->h, moved);
    }
    report(pyr[0].h, pyr[0].w, (void *) pyr[0].u, (void *) pyr[0].v);

    for (int k = 0; k < levels; k++)
    {
        free(pyr[k].u); free(pyr[k].v); free(pyr[k].frame[0]); free(pyr[k].frame[1]);
    }
    return EXIT_SUCCESS;
}
