/* mecodec - toy hybrid encoder loop on luma only: block motion search,
 * 8x8 Hadamard residual coding, in-loop deblocking.  Synthetic sequence. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <stddef.h>
#include <string.h>
#include <math.h>

#define MB        16
#define PAD       48
#define NLEVELS   32
#define MINI(a,b) ((a) < (b) ? (a) : (b))
#define CLIP3(lo,hi,v) ((v) < (lo) ? (lo) : (v) > (hi) ? (hi) : (v))
#define ROW(p,y)  ((p)->pix + (ptrdiff_t)(y) * (p)->stride)

typedef struct {
    int w, h, stride;
    uint8_t *base, *pix;        /* allocation, top-left visible pixel */
} plane_t;

typedef struct { int16_t x, y; } mv_t;

typedef struct { mv_t mv; uint32_t sad; uint8_t coded, skip; } mbinfo_t;

typedef struct {
    int w, h, mbw, mbh, range, qp;
    plane_t cur, rec[2];
    mbinfo_t *mbi[2];           /* this frame / previous frame */
    uint64_t levels[NLEVELS];
} encoder_t;

static const uint8_t alpha_tab[52] = {
    0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,4,4,5,6,7,8,9,10,12,13,15,17,20,22,25,28,
    32,36,40,45,50,56,63,71,80,90,101,113,127,144,162,182,203,226,255,255 };
static const uint8_t beta_tab[52] = {
    0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,2,2,2,3,3,3,3,4,4,4,6,6,7,7,8,8,
    9,9,10,10,11,11,12,12,13,13,14,14,15,15,16,16,17,17,18,18 };

static uint32_t seed = 12345u;
static uint32_t lcg(void) { seed = seed * 1664525u + 1013904223u; return seed >> 8; }

static void plane_alloc(plane_t *p, int w, int h)
{
    p->w = w; p->h = h; p->stride = w + 2 * PAD;
    p->base = calloc((size_t)p->stride * (h + 2 * PAD), 1);
    if (!p->base) { fprintf(stderr, "mecodec: out of memory\n"); exit(1); }
    p->pix = p->base + (size_t)PAD * p->stride + PAD;
}

static void plane_extend(plane_t *p)
{
    for (int y = 0; y < p->h; y++) {
        memset(ROW(p, y) - PAD, ROW(p, y)[0], PAD);
        memset(ROW(p, y) + p->w, ROW(p, y)[p->w - 1], PAD);
    }
    for (int y = 1; y <= PAD; y++) {
        memcpy(ROW(p, -y) - PAD, ROW(p, 0) - PAD, p->stride);
        memcpy(ROW(p, p->h - 1 + y) - PAD, ROW(p, p->h - 1) - PAD, p->stride);
    }
}

/* smooth texture panning diagonally, one moving square, sensor noise */
static void make_frame(plane_t *p, const uint8_t *tex, int tw, int t)
{
    int ox = 3 * t, oy = 2 * t, bx = 40 + 5 * t, by = 60 + t;
    for (int y = 0; y < p->h; y++) {
        uint8_t *d = ROW(p, y);
        for (int x = 0; x < p->w; x++) {
            int v = tex[(size_t)((y + oy) % tw) * tw + (x + ox) % tw];
            if (x >= bx && x < bx + 90 && y >= by && y < by + 70)
                v = 255 - tex[(size_t)(y - by) * tw + (x - bx)];
            v += (int)(lcg() & 7) - 3;
            d[x] = CLIP3(0, 255, v);
        }
    }
}

static unsigned sad16(const uint8_t *a, int as, const uint8_t *b, int bs, unsigned limit)
{
    unsigned s = 0;
    for (int y = 0; y < MB; y++, a += as, b += bs) {
        for (int x = 0; x < MB; x++) s += abs(a[x] - b[x]);
        if ((y & 3) == 3 && s >= limit) break;  /* cannot win any more */
    }
    return s;
}

static void search_mb(const encoder_t *e, const plane_t *ref, int mx, int my,
                      mv_t pred, mv_t coloc, mbinfo_t *out)
{
    const uint8_t *src = ROW(&e->cur, my * MB) + mx * MB;
    const mv_t cand[3] = { {0, 0}, pred, coloc };
    mv_t best = {0, 0};
    unsigned bsad = UINT32_MAX;

    for (int i = 0; i < 3; i++) {
        unsigned s = sad16(src, e->cur.stride,
                           ROW(ref, my * MB + cand[i].y) + mx * MB + cand[i].x, ref->stride, bsad);
        if (s < bsad) { bsad = s; best = cand[i]; }
    }
    out->skip = bsad < 640;                      /* good enough, keep the candidate */
    if (!out->skip)
        for (int dy = -e->range; dy <= e->range; dy++)
            for (int dx = -e->range; dx <= e->range; dx++) {
                unsigned cost = 2 * (abs(dx - pred.x) + abs(dy - pred.y));
                if (cost >= bsad) continue;
                unsigned s = cost + sad16(src, e->cur.stride, ROW(ref, my * MB + dy) + mx * MB + dx,
                                          ref->stride, bsad - cost);
                if (s < bsad) { bsad = s; best.x = dx; best.y = dy; }
            }
    out->mv = best;
    out->sad = bsad;
}

static uint64_t motion_search(encoder_t *e, const plane_t *ref, unsigned *nskip)
{
    uint64_t total = 0, skipped = 0;
    /* OMP: parallel for schedule(dynamic) reduction(+:total,skipped) */
    for (int my = 0; my < e->mbh; my++) {
        mv_t left = {0, 0};
        for (int mx = 0; mx < e->mbw; mx++) {
            mbinfo_t *m = &e->mbi[0][my * e->mbw + mx];
            search_mb(e, ref, mx, my, left, e->mbi[1][my * e->mbw + mx].mv, m);
            left = m->mv;
            total += m->sad; skipped += m->skip;
        }
    }
    *nskip += (unsigned)skipped;
    return total;
}

static void hadamard8(int *v, int step)
{
    for (int h = 1; h < 8; h <<= 1)
        for (int i = 0; i < 8; i += 2 * h)
            for (int j = i; j < i + h; j++) {
                int a = v[j * step], b = v[(j + h) * step];
                v[j * step] = a + b; v[(j + h) * step] = a - b;
            }
}

/* returns number of non-zero levels; *clip counts saturated pixels */
static int code_block(const uint8_t *src, int ss, const uint8_t *prd, int ps,
                      uint8_t *dst, int ds, int q, uint64_t *lev, unsigned *clip)
{
    int c[64], nz = 0;
    for (int i = 0; i < 64; i++)
        c[i] = src[(i >> 3) * ss + (i & 7)] - prd[(i >> 3) * ps + (i & 7)];
    for (int i = 0; i < 8; i++) hadamard8(c + 8 * i, 1);
    for (int i = 0; i < 8; i++) hadamard8(c + i, 8);
    for (int i = 0; i < 64; i++) {
        int l = (abs(c[i]) + q / 3) / q;
        lev[MINI(l, NLEVELS - 1)]++;
        if (l) nz++;
        c[i] = c[i] < 0 ? -l * q : l * q;
    }
    for (int i = 0; i < 8; i++) hadamard8(c + i, 8);
    for (int i = 0; i < 8; i++) hadamard8(c + 8 * i, 1);
    for (int i = 0; i < 64; i++) {
        int v = prd[(i >> 3) * ps + (i & 7)] + ((c[i] + 32) >> 6);
        if (v & ~255) { v = v < 0 ? 0 : 255; ++*clip; }
        dst[(i >> 3) * ds + (i & 7)] = (uint8_t)v;
    }
    return nz;
}

static unsigned long reconstruct(encoder_t *e, const plane_t *ref, plane_t *rec, unsigned long *nclip)
{
    const int q = 8 << (e->qp / 6);
    unsigned long nz = 0, clipped = 0;
    uint64_t *lev = e->levels;
    /* OMP: parallel for reduction(+:nz,clipped,lev[:NLEVELS]) */
    for (int my = 0; my < e->mbh; my++) {
        for (int mx = 0; mx < e->mbw; mx++) {
            mbinfo_t *m = e->mbi[0] + my * e->mbw + mx;
            unsigned clip = 0;
            int n = 0;
            for (int b = 0; b < 4; b++) {
                int x = mx * MB + (b & 1) * 8, y = my * MB + (b >> 1) * 8;
                n += code_block(ROW(&e->cur, y) + x, e->cur.stride, ROW(ref, y + m->mv.y) + x + m->mv.x,
                                ref->stride, ROW(rec, y) + x, rec->stride, q, lev, &clip);
            }
            m->coded = n > 0;
            nz += n; clipped += clip;
        }
    }
    *nclip += clipped;
    return nz;
}

/* filter one sample position across an edge; step = distance between taps */
static inline int filter_edge(uint8_t *p, ptrdiff_t step, int alpha, int beta, int tc)
{
    int p1 = p[-2 * step], p0 = p[-step], q0 = p[0], q1 = p[step];
    if (abs(p0 - q0) >= alpha || abs(p1 - p0) >= beta || abs(q1 - q0) >= beta)
        return 0;
    int d = CLIP3(-tc, tc, (((q0 - p0) * 4) + (p1 - q1) + 4) >> 3);
    p[-step] = CLIP3(0, 255, p0 + d);
    p[0]     = CLIP3(0, 255, q0 - d);
    return d != 0;
}

static unsigned long deblock(const encoder_t *e, plane_t *rec)
{
    const int alpha = alpha_tab[e->qp], beta = beta_tab[e->qp];
    unsigned long touched = 0;
    /* OMP: parallel for reduction(+:touched) */
    for (int y = 0; y < e->h; y++) {
        uint8_t *r = ROW(rec, y);
        const mbinfo_t *m = e->mbi[0] + (y / MB) * e->mbw;
        for (int x = 8; x < e->w; x += 8)
            touched += filter_edge(r + x, 1, alpha, beta, m[x / MB].coded ? 4 : 1);
    }
    /* OMP: parallel for reduction(+:touched) */
    for (int y = 8; y < e->h; y += 8) {
        uint8_t *r = ROW(rec, y);
        const mbinfo_t *m = e->mbi[0] + (y / MB) * e->mbw;
        for (int x = 0; x < e->w; x++)
            touched += filter_edge(r + x, rec->stride, alpha, beta, m[x / MB].coded ? 4 : 1);
    }
    return touched;
}

static double psnr(const plane_t *a, const plane_t *b)
{
    uint64_t sse = 0;
    for (int y = 0; y < a->h; y++)
        for (int x = 0; x < a->w; x++) {
            int d = ROW(a, y)[x] - ROW(b, y)[x];
            sse += (unsigned)(d * d);
        }
    return sse ? 10.0 * log10(255.0 * 255.0 * a->w * a->h / (double)sse) : 99.0;
}

int main(int argc, char **argv)
{
    encoder_t e = { .w = 704, .h = 576, .range = 12, .qp = 32 };
    int frames = argc > 1 ? atoi(argv[1]) : 40, tw = 512;
    if (argc > 3) { e.w = atoi(argv[2]) & ~15; e.h = atoi(argv[3]) & ~15; }
    if (e.w < 160 || e.h < 144 || frames < 2)
        return fprintf(stderr, "usage: %s [frames [width height]]\n", argv[0]), 1;
    e.mbw = e.w / MB; e.mbh = e.h / MB;
    plane_alloc(&e.cur, e.w, e.h);
    for (int i = 0; i < 2; i++) {
        plane_alloc(&e.rec[i], e.w, e.h);
        e.mbi[i] = calloc((size_t)e.mbw * e.mbh, sizeof *e.mbi[i]);
        if (!e.mbi[i]) { fprintf(stderr, "mecodec: out of memory\n"); exit(1); }
    }
    uint8_t *tex = malloc((size_t)tw * tw);
    if (!tex) { fprintf(stderr, "mecodec: out of memory\n"); exit(1); }
    for (int i = 0; i < tw * tw; i++) {
        int prev = i ? tex[i - 1] : 128, up = i >= tw ? tex[i - tw] : 128;
        tex[i] = CLIP3(0, 255, (prev + up) / 2 + (int)(lcg() % 41) - 20);
    }

    make_frame(&e.rec[0], tex, tw, 0);
    plane_extend(&e.rec[0]);
    uint64_t sad = 0;
    unsigned nskip = 0;
    unsigned long nz = 0, clip = 0, touched = 0;
    double q = 0;
    for (int t = 1; t < frames; t++) {
        plane_t *ref = &e.rec[(t - 1) & 1], *rec = &e.rec[t & 1];
        make_frame(&e.cur, tex, tw, t);
        sad += motion_search(&e, ref, &nskip);
        nz += reconstruct(&e, ref, rec, &clip);
        touched += deblock(&e, rec);
        plane_extend(rec);
        q += psnr(&e.cur, rec);
        mbinfo_t *tmp = e.mbi[0]; e.mbi[0] = e.mbi[1]; e.mbi[1] = tmp;
    }
    uint32_t crc = 0;
    for (int y = 0; y < e.h; y++)
        for (int x = 0; x < e.w; x++) crc = crc * 31 + ROW(&e.rec[(frames - 1) & 1], y)[x];
    printf("sad %llu skip %u nz %lu clip %lu deblocked %lu\n", (unsigned long long)sad, nskip, nz, clip, touched);
    printf("psnr %.6e crc %08x lev1 %llu\n", q / (frames - 1), crc, (unsigned long long)e.levels[1]);
    return 0;
}
