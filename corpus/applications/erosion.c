/*****************************************************************************
 *  EROSION  --  fractal terrain, thermal weathering, and the usual GIS maps
 *
 *  erosion [log2 size] [sweeps] [seed]
 *
 *  The terrain is a diamond-square fractal on a (2^k + 1)^2 lattice; it is
 *  then weathered with the talus-angle rule, and slope / aspect / hillshade
 *  maps plus a histogram of heights are derived from the result.
 *****************************************************************************/

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LOG2   11
#define MAX_DIM    ((1 << MAX_LOG2) + 1)
#define NBINS      64

#define DEG(r)         ((r) * 57.29577951308232f)
#define CLAMP(v,a,b)   ((v) < (a) ? (a) : (v) > (b) ? (b) : (v))
#define FOR_ROWS(y)    for (uint32_t y = 0; y < dim; ++y)
#define FOR_COLS(x)    for (uint32_t x = 0; x < dim; ++x)

static float   height[MAX_DIM][MAX_DIM];
static float   scratch[MAX_DIM][MAX_DIM];
static float   slope[MAX_DIM][MAX_DIM];
static float   aspect[MAX_DIM][MAX_DIM];
static uint8_t shade[MAX_DIM][MAX_DIM];
static uint8_t drain[MAX_DIM][MAX_DIM];     /* D8 code, 8 = pit */

static uint32_t dim;
static uint32_t rng_state;

static const int nb_dx[8] = { 1, 1, 0, -1, -1, -1,  0,  1 };
static const int nb_dy[8] = { 0, 1, 1,  1,  0, -1, -1, -1 };

typedef struct { float lo, hi; double mean; } Range;

static float noise(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 17;
    rng_state ^= rng_state << 5;
    return (float)(rng_state & 0xffffff) / 8388608.0f - 1.0f;
}

static void DiamondSquare(float roughness)
{
    uint32_t step = dim - 1;
    float amp = 400.0f;

    height[0][0] = noise() * amp;
    height[0][step] = noise() * amp;
    height[step][0] = noise() * amp;
    height[step][step] = noise() * amp;

    while (step > 1)
    {
        uint32_t half = step / 2;

        /* diamonds */
        for (uint32_t y = half; y < dim; y += step)
            for (uint32_t x = half; x < dim; x += step)
            {
                float s = height[y - half][x - half] + height[y - half][x + half]
                        + height[y + half][x - half] + height[y + half][x + half];
                height[y][x] = 0.25f * s + noise() * amp;
            }

        /* squares */
        for (uint32_t y = 0; y < dim; y += half)
            for (uint32_t x = (y / half) % 2 ? 0 : half; x < dim; x += step)
            {
                float s = 0.0f;
                int n = 0;
                if (x >= half)       { s += height[y][x - half]; n++; }
                if (x + half < dim)  { s += height[y][x + half]; n++; }
                if (y >= half)       { s += height[y - half][x]; n++; }
                if (y + half < dim)  { s += height[y + half][x]; n++; }
                height[y][x] = s / n + noise() * amp;
            }
        amp *= roughness;
        step = half;
    }
}

/* One weathering sweep: material slides over every edge that is steeper
   than the talus.  Returns the amount that moved. */
static double ThermalSweep(float (*src)[MAX_DIM], float (*dst)[MAX_DIM],
                           float talus, float rate)
{
    double moved = 0.0;

    /* OMP: parallel for reduction(+:moved) */
    FOR_ROWS(y)
    {
        FOR_COLS(x)
        {
            float h = src[y][x];
            float gain = 0.0f;

            for (int k = 0; k < 8; ++k)
            {
                int nx = (int)x + nb_dx[k];
                int ny = (int)y + nb_dy[k];

                if (nx < 0 || ny < 0 || nx >= (int)dim || ny >= (int)dim)
                    continue;

                float limit = (k & 1) ? talus * 1.41421356f : talus;
                float d = src[ny][nx] - h;

                if (d > limit)
                    gain += rate * (d - limit);
                else if (d < -limit)
                    gain += rate * (d + limit);
            }
            dst[y][x] = h + gain;
            moved += gain > 0.0f ? gain : 0.0f;
        }
    }
    return moved;
}

static void CopyBack(void)
{
    /* OMP: parallel for */
    FOR_ROWS(y)
        memcpy(height[y], scratch[y], dim * sizeof(float));
}

/* height with the border repeated */
static float HeightAt(int x, int y)
{
    int last = (int)dim - 1;
    return height[CLAMP(y, 0, last)][CLAMP(x, 0, last)];
}

/* Horn's 3x3 gradient, then slope (deg), aspect (deg, north = 0, -1 = flat)
   and the shaded relief for a sun at the given azimuth / altitude. */
static void TerrainMaps(float cell, float azimuth, float altitude)
{
    const float zen = (90.0f - altitude) / 57.29578f;
    const float az  = azimuth / 57.29578f;
    const float cz = cosf(zen), sz = sinf(zen);

    /* OMP: parallel for */
    FOR_ROWS(y)
    {
        FOR_COLS(x)
        {
            int i = (int)x, j = (int)y;
            float a = HeightAt(i - 1, j - 1), b = HeightAt(i, j - 1), c = HeightAt(i + 1, j - 1);
            float d = HeightAt(i - 1, j),                             f = HeightAt(i + 1, j);
            float g = HeightAt(i - 1, j + 1), h = HeightAt(i, j + 1), k = HeightAt(i + 1, j + 1);
            float gx = ((c + 2.0f * f + k) - (a + 2.0f * d + g)) / (8.0f * cell);
            float gy = ((g + 2.0f * h + k) - (a + 2.0f * b + c)) / (8.0f * cell);
            float grad = sqrtf(gx * gx + gy * gy);
            float s = atanf(grad);
            float dir = 0.0f;

            slope[y][x] = DEG(s);
            if (grad < 1e-6f)
                aspect[y][x] = -1.0f;
            else
            {
                dir = atan2f(gx, -gy);
                aspect[y][x] = dir < 0.0f ? DEG(dir) + 360.0f : DEG(dir);
            }

            /* cos(atan g) and sin(atan g) without the trig */
            float cs = 1.0f / sqrtf(1.0f + grad * grad);
            float lum = 255.0f * (cz * cs + sz * grad * cs * cosf(az - dir));
            shade[y][x] = (uint8_t)CLAMP(lum, 0.0f, 255.0f);
        }
    }
}

/* D8 drainage directions; the number of pits is returned */
static uint32_t Drainage(void)
{
    uint32_t pits = 0;

    /* OMP: parallel for reduction(+:pits) */
    FOR_ROWS(y)
    {
        FOR_COLS(x)
        {
            float best = 0.0f;
            uint8_t code = 8;
            for (uint8_t k = 0; k < 8; ++k)
            {
                float drop = height[y][x] - HeightAt((int)x + nb_dx[k], (int)y + nb_dy[k]);
                if (k & 1)
                    drop *= 0.70710678f;
                if (drop > best)
                    best = drop, code = k;
            }
            drain[y][x] = code;
            pits += code == 8;
        }
    }
    return pits;
}

static void HeightRange(Range *r)
{
    float lo = FLT_MAX, hi = -FLT_MAX;
    double total = 0.0;

    /* OMP: parallel for reduction(min:lo) reduction(max:hi) reduction(+:total) */
    FOR_ROWS(y)
    {
        const float *p = height[y], *end = p + dim;
        while (p != end)
        {
            if (*p < lo) lo = *p;
            if (*p > hi) hi = *p;
            total += *p++;
        }
    }
    r->lo = lo;
    r->hi = hi;
    r->mean = total / ((double)dim * dim);
}

static void Histogram(const Range *r, uint32_t *hist)
{
    float scale = r->hi > r->lo ? NBINS / (r->hi - r->lo) : 0.0f;

    for (int b = 0; b < NBINS; ++b)
        hist[b] = 0;
    /* OMP: parallel for reduction(+:hist[:NBINS]) */
    FOR_ROWS(y)
        FOR_COLS(x)
        {
            int b = (int)((height[y][x] - r->lo) * scale);
            hist[b >= NBINS ? NBINS - 1 : b]++;
        }
}

int main(int argc, char *argv[])
{
    int k = argc > 1 ? atoi(argv[1]) : 10;
    int sweeps = argc > 2 ? atoi(argv[2]) : 24;
    rng_state = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 0) : 0x1234567u;

    if (k < 2 || k > MAX_LOG2 || sweeps < 0 || rng_state == 0)
    {
        fprintf(stderr, "usage: erosion [2..%d] [sweeps] [seed != 0]\n", MAX_LOG2);
        exit(1);
    }
    dim = (1u << k) + 1;
    DiamondSquare(0.55f);

    double moved = 0.0;
    for (int i = 0; i < sweeps; ++i)
    {
        moved = ThermalSweep(height, scratch, 2.0f, 0.05f);
        CopyBack();
        if (i % 8 == 0)
            printf("sweep %3d  moved %.4e\n", i, moved);
    }
    printf("last sweep moved %.4e\n", moved);

    TerrainMaps(10.0f, 315.0f, 45.0f);
    uint32_t pits = Drainage();

    Range r;
    uint32_t hist[NBINS];
    HeightRange(&r);
    Histogram(&r, hist);

    double sum_slope = 0.0, sum_shade = 0.0;
    uint32_t facing[9] = { 0 }, outflow[9] = { 0 };
    FOR_ROWS(y)
    {
        FOR_COLS(x)
        {
            sum_slope += slope[y][x];
            sum_shade += shade[y][x];
            facing[aspect[y][x] < 0.0f ? 8 : (int)(aspect[y][x] / 45.0f) % 8]++;
            outflow[drain[y][x]]++;
        }
    }
    double pct = 100.0 / ((double)dim * dim);
    printf("heights %.4e .. %.4e  mean %.5e\n", r.lo, r.hi, r.mean);
    printf("mean slope %.4e  mean shade %.4e  pits %.3f%%\n",
           sum_slope * pct / 100.0, sum_shade * pct / 100.0, pits * pct);
    printf("facing north %.2f%%  flat %.2f%%  east outflow %.2f%%\nhistogram",
           (facing[7] + facing[0]) * pct, facing[8] * pct, outflow[0] * pct);
    for (int b = 0; b < NBINS; b += 4)
        printf(" %.2f", (hist[b] + hist[b + 1] + hist[b + 2] + hist[b + 3]) * pct);
    printf("\n");
    return 0;
}
