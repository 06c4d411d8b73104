/* What a JPEG encoder does to its blocks: cosine transform, quantisation, zigzag, run lengths. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define N 8
#define NN (N * N)
#define FOR_BLOCK(v, u) for (int v = 0; v < N; v++) for (int u = 0; u < N; u++)

typedef struct { int width, height; uint8_t *luma; } Picture;
typedef struct { int32_t cosine[N][N]; uint8_t quant[NN], zigzag[NN]; } Tables;

static void make_tables(Tables *t, int quality)
{
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            t->cosine[k][i] = (int32_t)lround(512.0 * (k ? 1.0 : 0.70710678) * cos((2 * i + 1) * k * 3.14159265358979 / 16));
    FOR_BLOCK(v, u)
        t->quant[v * N + u] = (uint8_t)(1 + (2 + v + u) * quality);
    int n = 0;
    for (int d = 0; d < 2 * N - 1; d++)
        for (int k = 0; k <= d; k++) {
            int v = d % 2 ? k : d - k, u = d - v;
            if (v < N && u < N)
                t->zigzag[n++] = (uint8_t)(v * N + u);
        }
}

static void transform(const Tables *t, const uint8_t *from, int stride, int32_t *to)
{
    int32_t half[NN];
    FOR_BLOCK(y, k) {
        int32_t s = 0;
        for (int x = 0; x < N; x++)
            s += (from[y * stride + x] - 128) * t->cosine[k][x];
        half[y * N + k] = s >> 10;
    }
    FOR_BLOCK(l, k) {
        int32_t s = 0;
        for (int y = 0; y < N; y++)
            s += half[y * N + k] * t->cosine[l][y];
        to[l * N + k] = s >> 10;
    }
}

static unsigned encode(const Tables *t, const int32_t *coefficient)
{
    unsigned bits = 0, run = 0;
    for (int i = 0; i < NN; i++) {
        int32_t level = coefficient[t->zigzag[i]] / t->quant[t->zigzag[i]];
        if (level == 0) {
            run++;
            continue;
        }
        bits += 4 + run / 16 * 11;
        for (level = abs(level); level; level >>= 1)
            bits++;
        run = 0;
    }
    return bits + (run ? 4 : 0);
}

static unsigned long size_of(const Picture *p, const Tables *t)
{
    unsigned long bits = 0;
    for (int y = 0; y + N <= p->height; y += N)
        for (int x = 0; x + N <= p->width; x += N) {
            int32_t block[NN];
            transform(t, p->luma + y * p->width + x, p->width, block);
            bits += encode(t, block);
        }
    return bits;
}

int main(int argc, char **argv)
{
    Picture p = { 0, argc > 1 ? atoi(argv[1]) : 480, NULL };
    int qualities = argc > 2 ? atoi(argv[2]) : 40;
    unsigned long sum = 0;
    Tables tables;
    struct timespec t0, t1;

    p.width = p.height * 4 / 3;
    p.luma = malloc((size_t)p.width * p.height);
    for (int y = 0; y < p.height; y++)
        for (int x = 0; x < p.width; x++)
            p.luma[y * p.width + x] = (uint8_t)((x * y / 40 + x * 3 + y) % 200 + (x * 7 + y * 11) % 23);
    clock_gettime(CLOCK_MONOTONIC, &t0);
    for (int q = 1; q <= qualities; q++) {
        make_tables(&tables, 1 + q % 12);
        sum += size_of(&p, &tables) * (unsigned long)q;
    }
    clock_gettime(CLOCK_MONOTONIC, &t1);
    printf("%lu bits\n", sum);
    fprintf(stderr, "%.6f\n", (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec));
    free(p.luma);
    return 0;
}
