// Blurs an image by rows and by columns with one function, and equalises it; the radius is a member.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <string.h>
#include <math.h>
enum { BINS = 256 };
struct image { int w, h; unsigned char *px; };
struct ctx { struct image in, tmp, out; double cdf[BINS]; unsigned hist[BINS]; float kernel[9]; int radius; };
static int clampi(int x, int lo, int hi) { return x < lo ? lo : x > hi ? hi : x; }
static unsigned char get(const struct image *m, int x, int y) { return m->px[(size_t)clampi(y, 0, m->h - 1) * m->w + clampi(x, 0, m->w - 1)]; }
static void blur(struct ctx *c, const struct image *from, struct image *to, int dx, int dy) {
    for (int y = 0; y < from->h; y++)
        for (int x = 0; x < from->w; x++) {
            float acc = 0;
            for (int k = -c->radius; k <= c->radius; k++) acc += c->kernel[k + c->radius] * get(from, x + k * dx, y + k * dy);
            to->px[(size_t)y * to->w + x] = (unsigned char)(acc + 0.5f);
        }
}
static void equalise(struct ctx *c) {
    memset(c->hist, 0, sizeof c->hist);
    size_t n = (size_t)c->in.w * c->in.h;
    for (size_t i = 0; i < n; i++) c->hist[c->out.px[i]]++;
    double run = 0;
    for (int b = 0; b < BINS; b++) { run += c->hist[b]; c->cdf[b] = run / n; }
    for (size_t i = 0; i < n; i++) c->out.px[i] = (unsigned char)(255.0 * c->cdf[c->out.px[i]]);
}
static double contrast(const struct image *m) {
    double s = 0, q = 0;
    for (int y = 0; y < m->h; y++) {
        const unsigned char *row = m->px + (size_t)y * m->w;
        for (int x = 0; x < m->w; x++) { s += row[x]; q += (double)row[x] * row[x]; }
    }
    double n = (double)m->w * m->h;
    return sqrt(q / n - (s / n) * (s / n));
}
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
int main(int argc, char **argv) {
    double start = seconds();
    struct ctx *c = calloc(1, sizeof *c);
    int w = argc > 1 ? atoi(argv[1]) : 1100, h = w * 3 / 4;
    struct image *all[] = { &c->in, &c->tmp, &c->out };
    for (int k = 0; k < 3; k++) { all[k]->w = w; all[k]->h = h; all[k]->px = malloc((size_t)w * h); }
    unsigned seed = 7;
    for (size_t i = 0; i < (size_t)w * h; i++) { seed = seed * 1664525u + 1013904223u; c->in.px[i] = (unsigned char)((seed >> 24) / 2 + (i % w) * 100 / w); }
    c->radius = 4;
    float sum = 0;
    for (int k = 0; k < 9; k++) sum += c->kernel[k] = expf(-(k - 4) * (k - 4) / 6.0f);
    for (int k = 0; k < 9; k++) c->kernel[k] /= sum;
    for (int it = 0; it < 8; it++) {
        blur(c, &c->in, &c->tmp, 1, 0);
        blur(c, &c->tmp, &c->out, 0, 1);
        equalise(c);
        memcpy(c->in.px, c->out.px, (size_t)w * h);
        printf("%d %.4f\n", it, contrast(&c->out));
    }
    fprintf(stderr, "%.3f\n", seconds() - start);
    return 0;
}
