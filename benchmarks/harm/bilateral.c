/* Smoothing that keeps edges: weights by distance and by difference, both from tables; planes of rows with a stride. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct plane {
    size_t width, height, stride;
    uint8_t *base;
} plane;

typedef struct bilateral {
    ptrdiff_t radius;
    int32_t *spatial; /* 1024 is one */
    int32_t range[256];
} bilateral;

static inline uint8_t *row_of(const plane *p, size_t y) { return p->base + y * p->stride; }

static int32_t weight(const bilateral *f, ptrdiff_t dx, ptrdiff_t dy, int difference)
{
    ptrdiff_t size = 2 * f->radius + 1;
    return f->spatial[(dy + f->radius) * size + dx + f->radius] * f->range[abs(difference)] >> 10;
}

static uint8_t filtered(const bilateral *f, const plane *p, size_t x, size_t y)
{
    int32_t sum = 0, total = 0;
    int centre = row_of(p, y)[x];
    for (ptrdiff_t dy = -f->radius; dy <= f->radius; ++dy) {
        const uint8_t *row = row_of(p, y + dy);
        for (ptrdiff_t dx = -f->radius; dx <= f->radius; ++dx) {
            int value = row[x + dx];
            int32_t w = weight(f, dx, dy, value - centre);
            sum += w * value;
            total += w;
        }
    }
    return (uint8_t)(sum / total);
}

static void apply(const bilateral *f, const plane *in, plane *out)
{
    size_t margin = (size_t)f->radius;
    for (size_t y = margin; y + margin < in->height; ++y)
        for (size_t x = margin; x + margin < in->width; ++x)
            row_of(out, y)[x] = filtered(f, in, x, y);
}

static plane make_plane(size_t width, size_t height)
{
    plane p = { width, height, (width + 63) & ~(size_t)63, NULL };
    p.base = calloc(p.stride, height);
    return p;
}

static void prepare(bilateral *f, int radius)
{
    int size = 2 * radius + 1;
    f->radius = radius;
    f->spatial = malloc(sizeof(int32_t) * size * size);
    for (int i = 0; i < size * size; ++i) {
        int dx = i % size - radius, dy = i / size - radius;
        f->spatial[i] = (int32_t)(1024.0 * exp(-(dx * dx + dy * dy) / (2.0 * radius)));
    }
    for (int i = 0; i < 256; ++i)
        f->range[i] = (int32_t)(1024.0 * exp(-i * i / 1800.0));
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? (size_t)atoi(argv[1]) : 300;
    int times = argc > 2 ? atoi(argv[2]) : 15;
    plane a = make_plane(n + 40, n), b = make_plane(n + 40, n);
    bilateral filter;
    long sum = 0;
    struct timespec t0, t1;

    prepare(&filter, 3);
    for (size_t y = 0; y < a.height; ++y)
        for (size_t x = 0; x < a.width; ++x)
            row_of(&a, y)[x] = (uint8_t)((x / 23 + y / 17) % 2 * 120 + (x * 13 + y * 29) % 31);
    clock_gettime(CLOCK_MONOTONIC, &t0);
    for (int t = 0; t < times; ++t) {
        apply(&filter, &a, &b);
        row_of(&a, n / 2)[n / 2 + t % 8] ^= 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &t1);
    for (size_t y = 0; y < b.height; ++y)
        for (size_t x = 0; x < b.width; ++x)
            sum += row_of(&b, y)[x] * (long)(1 + (x + y) % 4);
    printf("%ld\n", sum);
    fprintf(stderr, "%.6f\n", (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec));
    free(filter.spatial);
    free(a.base);
    free(b.base);
    return 0;
}
