/* planetool: a few of the usual things done to YUV 4:2:0 frames.
 *   - soften luma with a box filter (running sums, both ways)
 *   - alpha-blend a logo
 *   - convert to packed RGB, rotate by 90 degrees
 *   - dither to 1 bpp for the e-paper preview
 *   - 16-bit tone curve with a histogram for auto exposure
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>

typedef struct plane {
    uint8_t *data;
    int      w, h;
    size_t   stride;
} plane_t;

typedef struct frame { plane_t y, u, v; uint16_t *deep; } frame_t;

static inline uint8_t *px(const plane_t *p, int x, int y) { return p->data + y * p->stride + x; }
static inline uint8_t clip8(int v) { return (v & ~255) ? (uint8_t)((~v) >> 31) : (uint8_t)v; }

static plane_t plane_new(int w, int h)
{
    plane_t p;
    p.w = w; p.h = h;
    p.stride = ((size_t)w + 31) & ~(size_t)31;
    p.data = malloc(p.stride * h);
    if (!p.data) abort();
    return p;
}

static frame_t frame_new(int w, int h)
{
    frame_t f = { plane_new(w, h), plane_new(w / 2, h / 2), plane_new(w / 2, h / 2),
                  malloc(sizeof(uint16_t) * w * h) };
    if (!f.deep) abort();
    return f;
}

static void frame_free(frame_t *f)
{
    free(f->y.data); free(f->u.data); free(f->v.data); free(f->deep);
}

static void synth(frame_t *f, int n)
{
    int x, y;
    /* OMP: parallel for private(x) */
    for (y = 0; y < f->y.h; y++)
        for (x = 0; x < f->y.w; x++) {
            int t = (x * x / 64 + y * (y + n) / 32 + ((x ^ y) & 31) * 4) & 1023;
            *px(&f->y, x, y) = clip8(t >> 2);
            f->deep[(size_t)y * f->y.w + x] = (uint16_t)(t * 61);
        }
    for (y = 0; y < f->u.h; y++) {
        uint8_t *u = px(&f->u, 0, y), *v = px(&f->v, 0, y);
        for (x = f->u.w; x > 0; x--) {
            *u++ = (uint8_t)(96 + ((x + n) & 63));
            *v++ = (uint8_t)(160 - ((x + y) & 63));
        }
    }
}

static void blur_h(const plane_t *src, plane_t *dst, int r)
{
    const int w = src->w, inv = 65536 / (2 * r + 1);
    /* OMP: parallel for schedule(static) */
    for (int y = 0; y < src->h; y++) {
        const uint8_t *s = px(src, 0, y);
        uint8_t *d = px(dst, 0, y);
        int sum = s[0] * (r + 1);
        for (int i = 1; i <= r; i++) sum += s[i];
        for (int x = 0; x < w; x++) {
            d[x] = (uint8_t)((sum * inv + 32768) >> 16);
            sum += s[x + r + 1 < w ? x + r + 1 : w - 1];
            sum -= s[x - r > 0 ? x - r : 0];
        }
    }
}

/* vertical pass keeps one running sum per column */
static void blur_v(const plane_t *src, plane_t *dst, int r)
{
    const int w = src->w, h = src->h, inv = 65536 / (2 * r + 1);
    int *col = calloc(w, sizeof *col);
    if (!col) abort();
    for (int k = -r; k <= r; k++) {
        const uint8_t *s = px(src, 0, k < 0 ? 0 : k);
        for (int x = 0; x < w; x++) col[x] += s[x];
    }
    for (int y = 0; y < h; y++) {
        uint8_t *d = px(dst, 0, y);
        const uint8_t *add = px(src, 0, y + r + 1 < h ? y + r + 1 : h - 1);
        const uint8_t *sub = px(src, 0, y - r > 0 ? y - r : 0);
        int *c = col;
        int n = w;
        do {
            *d++ = (uint8_t)((*c * inv + 32768) >> 16);
            *c++ += *add++ - *sub++;
        } while (--n);
    }
    free(col);
}

static void blend(plane_t *dst, const plane_t *logo, const plane_t *alpha, int ox, int oy)
{
    for (int y = 0; y < logo->h; y++) {
        const uint8_t *l = px(logo, 0, y), *a = px(alpha, 0, y);
        uint8_t *d = px(dst, ox, oy + y), *end = d + logo->w;
        while (d < end) {
            unsigned t = *a * *l++ + (255u - *a) * *d + 128u;
            *d++ = (uint8_t)((t + (t >> 8)) >> 8);
            a++;
        }
    }
}

static uint8_t *to_rgb(const frame_t *f)
{
    const int w = f->y.w, h = f->y.h;
    uint8_t *rgb = malloc((size_t)w * h * 3);
    if (!rgb) abort();
    /* OMP: parallel for schedule(static) */
    for (int y = 0; y < h; y++) {
        uint8_t *o = rgb + (size_t)y * w * 3;
        const uint8_t *Y = px(&f->y, 0, y), *U = px(&f->u, 0, y / 2), *V = px(&f->v, 0, y / 2);
        for (int x = 0; x < w; x++) {
            int c = 298 * (Y[x] - 16), d = U[x >> 1] - 128, e = V[x >> 1] - 128;
            *o++ = clip8((c + 409 * e + 128) >> 8);
            *o++ = clip8((c - 100 * d - 208 * e + 128) >> 8);
            *o++ = clip8((c + 516 * d + 128) >> 8);
        }
    }
    return rgb;
}

static uint8_t *rotate90(const uint8_t *rgb, int w, int h)
{
    uint8_t *out = malloc((size_t)w * h * 3);
    int x, y;
    if (!out) abort();
    /* OMP: parallel for private(x) */
    for (y = 0; y < h; y++)
        for (x = 0; x < w; x++) {
            const uint8_t *s = rgb + ((size_t)y * w + x) * 3;
            uint8_t *d = out + ((size_t)x * h + (h - 1 - y)) * 3;
            d[0] = s[0]; d[1] = s[1]; d[2] = s[2];
        }
    return out;
}

static uint32_t dither(const plane_t *p)
{
    int *err = calloc(p->w + 2, sizeof *err);
    uint32_t h = 2166136261u;
    if (!err) abort();
    for (int y = 0; y < p->h; y++) {
        const uint8_t *s = px(p, 0, y);
        int right = 0, diag = 0, bits = 0;
        for (int x = 0; x < p->w; x++) {
            int v = s[x] + ((right + err[x + 1]) >> 4), on = v > 127;
            int e = v - (on ? 255 : 0);
            right = e * 7;
            err[x] += e * 3;
            err[x + 1] = e * 5 + diag;
            diag = e;
            bits = bits << 1 | on;
            if ((x & 7) == 7) { h = (h ^ (uint32_t)bits) * 16777619u; bits = 0; }
        }
    }
    free(err);
    return h;
}

static unsigned tone_hist(uint16_t *deep, size_t n, const uint16_t *lut, unsigned hist[64])
{
    unsigned peak = 0;
    memset(hist, 0, 64 * sizeof *hist);
    /* OMP: parallel for reduction(+:hist[:64]) */
    for (size_t i = 0; i < n; i++) {
        deep[i] = lut[deep[i] >> 4];
        hist[deep[i] >> 10]++;
    }
    for (int b = 1; b < 64; b++) if (hist[b] > hist[peak]) peak = b;
    return peak;
}

int main(int argc, char **argv)
{
    const int w = 1280, h = 960, frames = argc > 1 ? atoi(argv[1]) : 16;
    static uint16_t lut[4096];
    unsigned hist[64], peaks = 0;
    uint32_t hash = 0, mix = 0;
    plane_t logo = plane_new(200, 120), alpha = plane_new(200, 120);
    for (int i = 0; i < 4096; i++) lut[i] = (uint16_t)(i * 16 - (i * (4095 - i)) / 512);
    for (int y = 0; y < logo.h; y++)
        for (int x = 0; x < logo.w; x++) {
            *px(&logo, x, y) = (uint8_t)(x + y);
            *px(&alpha, x, y) = (uint8_t)(x < 100 ? x * 2 : 255);
        }
    for (int n = 0; n < frames; n++) {
        frame_t f = frame_new(w, h);
        plane_t tmp = plane_new(w, h);
        synth(&f, n);
        blur_h(&f.y, &tmp, 5);
        blur_v(&tmp, &f.y, 5);
        blend(&f.y, &logo, &alpha, 40 + n, 40);
        uint8_t *rgb = to_rgb(&f), *rot = rotate90(rgb, w, h);
        for (size_t i = 0; i < (size_t)w * h * 3; i += 1021) mix = mix * 31u + rot[i];
        hash ^= dither(&f.y) + (uint32_t)n;
        peaks = peaks * 7u + tone_hist(f.deep, (size_t)w * h, lut, hist) + hist[20];
        free(rgb); free(rot); free(tmp.data);
        frame_free(&f);
    }
    printf("dither %08x rgb %08x peaks %u\n", hash, mix, peaks);
    free(logo.data); free(alpha.data);
    return 0;
}
