/* smokebox: 2-D incompressible smoke in a box with solid obstacles.
 * Semi-Lagrangian advection, red-black viscosity, Jacobi pressure solve. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef float real;

static int N = 160;                      /* interior cells per side */
static real dt = 0.1f;
static unsigned long g_advected = 0;

#define IX(i, j)        ((i) + (N + 2) * (j))
#define FOR_INNER(i, j) for (int j = 1; j <= N; j++) for (int i = 1; i <= N; i++)

enum bc { BC_COPY, BC_NEG_X, BC_NEG_Y };

struct field { real *cur, *old; enum bc bc; };

struct sim {
    struct field u, v, dens, temp;
    real *p, *pnew, *div;
    unsigned char *solid;
    struct { real visc, buoy, cool; int p_iters, v_iters; } opt;
};

static int field_init(struct field *f, enum bc bc)
{
    size_t n = (size_t)(N + 2) * (N + 2);
    f->cur = calloc(n, sizeof(real));
    f->old = calloc(n, sizeof(real));
    f->bc = bc;
    return f->cur && f->old;
}

static void field_swap(struct field *f)
{
    real *t = f->cur;
    f->cur = f->old;
    f->old = t;
}

static void set_bnd(enum bc bc, real *x)
{
    for (int i = 1; i <= N; i++) {
        x[IX(0, i)]     = bc == BC_NEG_X ? -x[IX(1, i)] : x[IX(1, i)];
        x[IX(N + 1, i)] = bc == BC_NEG_X ? -x[IX(N, i)] : x[IX(N, i)];
        x[IX(i, 0)]     = bc == BC_NEG_Y ? -x[IX(i, 1)] : x[IX(i, 1)];
        x[IX(i, N + 1)] = bc == BC_NEG_Y ? -x[IX(i, N)] : x[IX(i, N)];
    }
    x[IX(0, 0)]         = 0.5f * (x[IX(1, 0)] + x[IX(0, 1)]);
    x[IX(0, N + 1)]     = 0.5f * (x[IX(1, N + 1)] + x[IX(0, N)]);
    x[IX(N + 1, 0)]     = 0.5f * (x[IX(N, 0)] + x[IX(N + 1, 1)]);
    x[IX(N + 1, N + 1)] = 0.5f * (x[IX(N, N + 1)] + x[IX(N + 1, N)]);
}

static inline real clampf(real v, real lo, real hi)
{
    return v < lo ? lo : (v > hi ? hi : v);
}

static real sample(const real *q, real x, real y)
{
    int i = (int)x, j = (int)y;
    real s = x - i, t = y - j;
    return (1 - s) * ((1 - t) * q[IX(i, j)] + t * q[IX(i, j + 1)]) +
           s * ((1 - t) * q[IX(i + 1, j)] + t * q[IX(i + 1, j + 1)]);
}

static void advect(struct sim *s, struct field *f, const real *u, const real *v)
{
    real k = dt * N * 0.1f;
    field_swap(f);
/* OMP: parallel for schedule(static) */
    FOR_INNER(i, j) {
        if (s->solid[IX(i, j)]) {
            f->cur[IX(i, j)] = 0;
            continue;
        }
        real x = clampf(i - k * u[IX(i, j)], 0.5f, N + 0.5f);
        real y = clampf(j - k * v[IX(i, j)], 0.5f, N + 0.5f);
        f->cur[IX(i, j)] = sample(f->old, x, y);
    }
    g_advected += (unsigned long)N * N;
    set_bnd(f->bc, f->cur);
}

static void viscosity(struct sim *s, struct field *f)
{
    real a = s->opt.visc * dt * N, c = 1 + 4 * a;
    memcpy(f->old, f->cur, (size_t)(N + 2) * (N + 2) * sizeof(real));
    for (int it = 0; it < s->opt.v_iters; it++) {
        for (int colour = 0; colour < 2; colour++) {
/* OMP: parallel for schedule(static) */
            for (int j = 1; j <= N; j++)
                for (int i = 1 + ((j + colour) & 1); i <= N; i += 2) {
                    real *x = f->cur;
                    x[IX(i, j)] = (f->old[IX(i, j)] + a * (x[IX(i - 1, j)] + x[IX(i + 1, j)] +
                                   x[IX(i, j - 1)] + x[IX(i, j + 1)])) / c;
                }
        }
        set_bnd(f->bc, f->cur);
    }
}

static real pressure(struct sim *s)
{
    real *u = s->u.cur, *v = s->v.cur, h = 1.0f / N;
    double resid = 0;

/* OMP: parallel for schedule(static) */
    FOR_INNER(i, j) {
        s->div[IX(i, j)] = -0.5f * h * (u[IX(i + 1, j)] - u[IX(i - 1, j)] + v[IX(i, j + 1)] - v[IX(i, j - 1)]);
    }
    for (int it = 0; it < s->opt.p_iters; it++) {
/* OMP: parallel for schedule(static) */
        FOR_INNER(i, j) {
            if (s->solid[IX(i, j)])
                continue;
            s->pnew[IX(i, j)] = 0.25f * (s->div[IX(i, j)] + s->p[IX(i - 1, j)] + s->p[IX(i + 1, j)] +
                                         s->p[IX(i, j - 1)] + s->p[IX(i, j + 1)]);
        }
        set_bnd(BC_COPY, s->pnew);
        real *t = s->p;
        s->p = s->pnew;
        s->pnew = t;
    }
/* OMP: parallel for schedule(static) reduction(+:resid) */
    FOR_INNER(i, j) {
        u[IX(i, j)] -= 0.5f * N * (s->p[IX(i + 1, j)] - s->p[IX(i - 1, j)]);
        v[IX(i, j)] -= 0.5f * N * (s->p[IX(i, j + 1)] - s->p[IX(i, j - 1)]);
        if (s->solid[IX(i, j)])
            u[IX(i, j)] = v[IX(i, j)] = 0;
        resid += fabsf(s->p[IX(i, j)] - s->pnew[IX(i, j)]);
    }
    set_bnd(BC_NEG_X, u);
    set_bnd(BC_NEG_Y, v);
    return (real)resid;
}

static void add_sources(struct sim *s, int step)
{
    int w = N / 12, cx = N / 2 + (int)(N / 8 * sinf(step * 0.3f));
    for (int j = 2; j < 2 + w; j++)
        for (int i = cx - w; i <= cx + w; i++) {
            s->dens.cur[IX(i, j)] = clampf(s->dens.cur[IX(i, j)] + 0.4f, 0, 1);
            s->temp.cur[IX(i, j)] = 1;
        }
/* OMP: parallel for schedule(static) */
    FOR_INNER(i, j) {
        s->temp.cur[IX(i, j)] *= s->opt.cool;
        s->v.cur[IX(i, j)] += dt * s->opt.buoy * (s->temp.cur[IX(i, j)] - 0.3f * s->dens.cur[IX(i, j)]);
    }
}

static void put_disc(struct sim *s, int cx, int cy, int r)
{
    FOR_INNER(i, j)
        if ((i - cx) * (i - cx) + (j - cy) * (j - cy) < r * r)
            s->solid[IX(i, j)] = 1;
}

int main(void)
{
    static struct sim s = { .opt = { 0.0005f, 1.5f, 0.98f, 24, 6 } };
    size_t n = (size_t)(N + 2) * (N + 2);
    real resid = 0;
    int ok = field_init(&s.u, BC_NEG_X) && field_init(&s.v, BC_NEG_Y) &&
             field_init(&s.dens, BC_COPY) && field_init(&s.temp, BC_COPY);
    s.p = calloc(n, sizeof(real));
    s.pnew = calloc(n, sizeof(real));
    s.div = calloc(n, sizeof(real));
    s.solid = calloc(n, 1);
    if (!ok || !s.p || !s.pnew || !s.div || !s.solid)
        return 1;
    put_disc(&s, N / 2, N / 2, N / 10);
    put_disc(&s, N / 3, 2 * N / 3, N / 14);
    for (int step = 0; step < 90; step++) {
        add_sources(&s, step);
        viscosity(&s, &s.u);
        viscosity(&s, &s.v);
        resid = pressure(&s);
        advect(&s, &s.u, s.u.cur, s.v.cur);
        advect(&s, &s.v, s.u.cur, s.v.cur);
        advect(&s, &s.dens, s.u.cur, s.v.cur);
        advect(&s, &s.temp, s.u.cur, s.v.cur);
    }
    double mass = 0, cy = 0, ke = 0;
    FOR_INNER(i, j) {
        mass += s.dens.cur[IX(i, j)];
        cy += (double)s.dens.cur[IX(i, j)] * j;
        ke += s.u.cur[IX(i, j)] * s.u.cur[IX(i, j)] + s.v.cur[IX(i, j)] * s.v.cur[IX(i, j)];
    }
    printf("mass %.4f centre %.4f energy %.4f resid %.3e advected %lu\n", mass, cy / mass, ke, resid, g_advected);
    struct field *fs[] = { &s.u, &s.v, &s.dens, &s.temp };
    for (int k = 0; k < 4; k++) {
        free(fs[k]->cur);
        free(fs[k]->old);
    }
    free(s.p); free(s.pnew); free(s.div); free(s.solid);
    return 0;
}
