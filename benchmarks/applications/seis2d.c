/* seis2d - 2-D constant density acoustic modelling, 8th order in space,
 * 2nd order in time, Cerjan sponge on three sides and free surface on top.
 * Runs a few shots along a line and stacks near-offset semblance. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define HALF 4
#define NB   40                              /* sponge width */
#define AT(f, i, k)  ((f)[(size_t)(i) * m->nz + (k)])   /* k (depth) is fast */

typedef struct {
    int nx, nz;
    float h, dt;
    float vmin, vmax;
    float *vel;                              /* m/s */
    float *c2;                               /* (v dt / h)^2 */
    float *taper;                            /* 1 inside, <1 in the sponge */
} model_t;

typedef struct {
    float *prev, *cur, *next;
} wave_t;

typedef struct {
    int n, nt, depth;
    int *ix;
    float **trace;                           /* trace[r][t] */
} gather_t;

static const float W[HALF + 1] = {
    -205.f / 72.f, 8.f / 5.f, -1.f / 5.f, 8.f / 315.f, -1.f / 560.f
};

static unsigned long lcg_state = 20240607ul;

static float frand(void)
{
    lcg_state = (lcg_state * 1103515245ul + 12345ul) & 0x7ffffffful;
    return (float)lcg_state / 2147483648.0f;
}

static float *falloc(size_t n)
{
    float *p = calloc(n, sizeof(float));
    if (p == NULL) {
        fprintf(stderr, "seis2d: no memory for %lu floats\n", (unsigned long)n);
        exit(2);
    }
    return p;
}

static void build_model(model_t *m, int nx, int nz)
{
    int i, k, l, nlay = 7;
    float dip[8], top[8], v[8];

    m->nx = nx; m->nz = nz; m->h = 10.f;
    m->vel = falloc((size_t)nx * nz);
    m->c2 = falloc((size_t)nx * nz);
    m->taper = falloc((size_t)nx * nz);
    for (l = 0; l < nlay; l++) {
        top[l] = nz * (float)l / nlay;
        dip[l] = l ? 0.15f * (frand() - 0.5f) : 0.f;
        v[l] = 1500.f + 380.f * l + 150.f * frand();
    }
    m->vmin = 1e30f; m->vmax = 0.f;
    for (i = 0; i < nx; i++)
        for (k = 0; k < nz; k++) {
            float vv = v[0];
            for (l = nlay - 1; l > 0; l--)
                if (k > top[l] + dip[l] * (i - nx / 2)) { vv = v[l]; break; }
            vv += 40.f * (frand() - 0.5f);
            AT(m->vel, i, k) = vv;
            if (vv < m->vmin) m->vmin = vv;
            if (vv > m->vmax) m->vmax = vv;
        }
    m->dt = 0.5f * m->h / m->vmax;
    for (i = 0; i < nx; i++)
        for (k = 0; k < nz; k++) {
            float g = AT(m->vel, i, k) * m->dt / m->h;
            int d = NB;
            if (i < d) d = i;
            if (nx - 1 - i < d) d = nx - 1 - i;
            if (nz - 1 - k < d) d = nz - 1 - k;
            AT(m->c2, i, k) = g * g;
            AT(m->taper, i, k) = expf(-powf(0.006f * (NB - d), 2.f));
        }
}

static float ricker(float t, float f)
{
    float a = (float)M_PI * f * (t - 1.2f / f);
    return (1.f - 2.f * a * a) * expf(-a * a);
}

/* one column of the mesh: n = 2c - o + c2 * laplacian(c) */
static void fd_line(float *restrict n, const float *restrict c, const float *restrict o,
                    const float *restrict c2, int nz)
{
    for (int k = HALF; k < nz - HALF; k++) {
        float lap = 2.f * W[0] * c[k];
        for (int j = 1; j <= HALF; j++)
            lap += W[j] * (c[k - j] + c[k + j] + c[k - j * nz] + c[k + j * nz]);
        n[k] = 2.f * c[k] - o[k] + c2[k] * lap;
    }
}

static void step(const model_t *m, wave_t *w)
{
    /* OMP: parallel for schedule(static) */
    for (int i = HALF; i < m->nx - HALF; i++)
        fd_line(&AT(w->next, i, 0), &AT(w->cur, i, 0), &AT(w->prev, i, 0), &AT(m->c2, i, 0), m->nz);
}

/* damp both time levels that survive the swap */
static void sponge(const model_t *m, float *a, float *b)
{
    /* OMP: parallel for schedule(static) */
    for (int i = 0; i < m->nx; i++) {
        int side = i < NB || i >= m->nx - NB;
        int k = side ? 0 : m->nz - NB;
        for (; k < m->nz; k++) {
            AT(a, i, k) *= AT(m->taper, i, k);
            AT(b, i, k) *= AT(m->taper, i, k);
        }
    }
}

static void free_surface(const model_t *m, float *f)
{
    for (int i = 0; i < m->nx; i++) {
        AT(f, i, HALF) = 0.f;
        for (int k = 1; k <= HALF; k++)
            AT(f, i, HALF - k) = -AT(f, i, HALF + k);
    }
}

static double energy(const model_t *m, const wave_t *w, float *peak, size_t *where)
{
    double e = 0.0;
    float big = -1.f;
    size_t at = 0, n = (size_t)m->nx * m->nz;
    for (size_t q = 0; q < n; q++) {
        float d = (w->cur[q] - w->prev[q]) / m->dt;
        e += (double)d * d / (m->vel[q] * m->vel[q]);
        if (fabsf(w->cur[q]) > big) { big = fabsf(w->cur[q]); at = q; }
    }
    *peak = big;
    *where = at;
    return e;
}

static void gather_init(gather_t *g, const model_t *m, int nt)
{
    g->n = (m->nx - 2 * NB) / 4;
    g->nt = nt;
    g->depth = HALF + 3;
    g->ix = malloc(g->n * sizeof *g->ix);
    g->trace = malloc(g->n * sizeof *g->trace);
    if (!g->ix || !g->trace) { fprintf(stderr, "seis2d: gather alloc failed\n"); exit(2); }
    for (int r = 0; r < g->n; r++) {
        g->ix[r] = NB + 4 * r;
        g->trace[r] = falloc(nt);
    }
}

static void run_shot(const model_t *m, wave_t *w, gather_t *g, int sx, float *illum)
{
    size_t nbytes = (size_t)m->nx * m->nz * sizeof(float);
    memset(w->prev, 0, nbytes);
    memset(w->cur, 0, nbytes);
    memset(w->next, 0, nbytes);
    for (int t = 0; t < g->nt; t++) {
        step(m, w);
        AT(w->next, sx, HALF + 5) += 100.f * AT(m->c2, sx, HALF + 5) * ricker(t * m->dt, 12.f);
        free_surface(m, w->next);
        sponge(m, w->next, w->cur);
        for (int r = 0; r < g->n; r++)
            g->trace[r][t] = AT(w->next, g->ix[r], g->depth);
        if (t % 4 == 0) {                    /* source illumination */
            /* OMP: parallel for schedule(static) */
            for (int i = 0; i < m->nx; i++)
                for (int k = 0; k < m->nz; k++)
                    AT(illum, i, k) += AT(w->next, i, k) * AT(w->next, i, k);
        }
        float *tmp = w->prev;
        w->prev = w->cur;
        w->cur = w->next;
        w->next = tmp;
    }
}

/* windowed semblance over all traces for a fan of moveout velocities */
static int semblance(const gather_t *g, const model_t *m, int sx, int nvel, float *best)
{
    float *score = falloc(nvel);
    /* OMP: parallel for schedule(dynamic) */
    for (int iv = 0; iv < nvel; iv++) {
        float v = m->vmin + (m->vmax - m->vmin) * iv / (nvel - 1), top = 0.f;
        for (int t0 = 50; t0 < g->nt; t0 += 10) {
            double num = 0.0, den = 1e-12;
            for (int dt = -6; dt <= 6; dt++) {
                double s = 0.0, s2 = 0.0;
                for (int r = 0; r < g->n; r++) {
                    float off = (g->ix[r] - sx) * m->h / (v * m->dt);
                    int it = (int)sqrtf((float)t0 * t0 + off * off) + dt;
                    if (it >= g->nt) continue;
                    s += g->trace[r][it];
                    s2 += g->trace[r][it] * g->trace[r][it];
                }
                num += s * s;
                den += g->n * s2;
            }
            if (num / den > top) top = num / den;
        }
        score[iv] = top;
    }
    int ib = 0;
    for (int iv = 1; iv < nvel; iv++)
        if (score[iv] > score[ib]) ib = iv;
    *best = score[ib];
    free(score);
    return ib;
}

int main(int argc, char *argv[])
{
    int nx = argc > 1 ? atoi(argv[1]) : 700;
    int nz = argc > 2 ? atoi(argv[2]) : 400;
    int nt = argc > 3 ? atoi(argv[3]) : 1100;
    int nshot = argc > 4 ? atoi(argv[4]) : 4;
    model_t model, *m = &model;
    wave_t w;
    gather_t g;

    if (nx < 3 * NB || nz < 2 * NB || nt < 10 || nshot < 1) {
        fprintf(stderr, "usage: seis2d [nx nz nt nshots]  (nx >= %d, nz >= %d)\n", 3 * NB, 2 * NB);
        return 1;
    }
    build_model(m, nx, nz);
    w.prev = falloc((size_t)nx * nz);
    w.cur = falloc((size_t)nx * nz);
    w.next = falloc((size_t)nx * nz);
    float *illum = falloc((size_t)nx * nz);
    gather_init(&g, m, nt);
    printf("v %.6e .. %.6e dt %.6e\n", m->vmin, m->vmax, m->dt);

    for (int s = 0; s < nshot; s++) {
        int sx = NB + (s + 1) * (nx - 2 * NB) / (nshot + 1), ib;
        float peak, best;
        size_t where;
        run_shot(m, &w, &g, sx, illum);
        double e = energy(m, &w, &peak, &where), rms = 0.0;
        for (int r = 0; r < g.n; r++)
            for (int t = 0; t < nt; t++) rms += g.trace[r][t] * g.trace[r][t];
        ib = semblance(&g, m, sx, 48, &best);
        printf("shot %d: energy %.6e peak %.6e at %zu,%zu data %.6e semb %.5e iv %d\n", s, e, peak,
               where / nz, where % nz, rms, best, ib);
    }
    double tot = 0.0;
    for (size_t q = 0; q < (size_t)nx * nz; q++) tot += illum[q];
    printf("illum %.6e\n", tot);
    return 0;
}
