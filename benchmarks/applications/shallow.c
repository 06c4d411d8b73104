// shallow.c -- 2-D shallow water equations in a harbour basin, finite volumes
// (Rusanov fluxes, first order), one layer of ghost cells, per-side boundaries.
// Left side is driven by a tide, the others are walls or open sea.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define GRAV   9.81
#define H_DRY  1.0e-4
#define IDX(g, i, j)  ((size_t)(j) * (size_t)(g)->pitch + (size_t)(i))
#define MAXD(a, b)    ((a) > (b) ? (a) : (b))

typedef enum { SideLeft, SideRight, SideBottom, SideTop, SideCount } Side;
typedef enum { BcWall, BcOpen, BcTide, BcKinds } BcKind;

typedef struct {
    double *h, *hu, *hv;
} State;

typedef struct {
    int nx, ny;      // interior cells, they are 1..nx, 1..ny
    int pitch;       // nx + 2 rounded up to a cache line
    double dx, dy;
} Grid;

typedef struct {
    BcKind kind[SideCount];
    double tideAmp, tidePeriod;
    double manning, coriolis;
    double cfl, tEnd;
    int    maxSteps, reportEvery;
} Config;

typedef struct {
    Grid   grid;
    State  now;
    State  fx, fy;   // fluxes on the left / the lower face of every cell
    double time;
    long   steps;
    struct { double maxSpeed, minDepth; long dryCells; } stats;
} Basin;

typedef void (*BcFunc)(const Config *cfg, Basin *b, size_t ghost, size_t inner, int normalIsX);

static void bcWall(const Config *cfg, Basin *b, size_t ghost, size_t inner, int normalIsX) {
    (void)cfg;
    b->now.h[ghost]  = b->now.h[inner];
    b->now.hu[ghost] = normalIsX ? -b->now.hu[inner] : b->now.hu[inner];
    b->now.hv[ghost] = normalIsX ? b->now.hv[inner] : -b->now.hv[inner];
}

static void bcOpen(const Config *cfg, Basin *b, size_t ghost, size_t inner, int normalIsX) {
    (void)cfg; (void)normalIsX;
    b->now.h[ghost]  = b->now.h[inner];
    b->now.hu[ghost] = b->now.hu[inner];
    b->now.hv[ghost] = b->now.hv[inner];
}

static void bcTide(const Config *cfg, Basin *b, size_t ghost, size_t inner, int normalIsX) {
    double level = 2.0 + cfg->tideAmp * sin(2.0 * 3.14159265358979 * b->time / cfg->tidePeriod);
    bcOpen(cfg, b, ghost, inner, normalIsX);
    b->now.h[ghost] = level;
}

static const BcFunc bcTable[BcKinds] = { bcWall, bcOpen, bcTide };

static int stateAlloc(State *s, size_t n) {
    s->h  = calloc(n, sizeof *s->h);
    s->hu = calloc(n, sizeof *s->hu);
    s->hv = calloc(n, sizeof *s->hv);
    return s->h && s->hu && s->hv;
}

static void stateFree(State *s) {
    free(s->h); free(s->hu); free(s->hv);
    memset(s, 0, sizeof *s);
}

static void fillGhosts(const Config *cfg, Basin *b) {
    const Grid *g = &b->grid;
    BcFunc left = bcTable[cfg->kind[SideLeft]], right = bcTable[cfg->kind[SideRight]];
    BcFunc bottom = bcTable[cfg->kind[SideBottom]], top = bcTable[cfg->kind[SideTop]];
    for (int j = 1; j <= g->ny; ++j) {
        left(cfg, b, IDX(g, 0, j), IDX(g, 1, j), 1);
        right(cfg, b, IDX(g, g->nx + 1, j), IDX(g, g->nx, j), 1);
    }
    for (int i = 0; i <= g->nx + 1; ++i) {
        bottom(cfg, b, IDX(g, i, 0), IDX(g, i, 1), 0);
        top(cfg, b, IDX(g, i, g->ny + 1), IDX(g, i, g->ny), 0);
    }
}

// Largest signal speed divided by cell size, decides the time step.
static double courantSpeed(Basin *b) {
    const Grid *g = &b->grid;
    const State *q = &b->now;
    double worst = 0.0, shallowest = 1e30;
    long dry = 0;
/* OMP: parallel for reduction(max:worst) reduction(min:shallowest) reduction(+:dry) */
    for (int j = 1; j <= g->ny; ++j) {
        for (int i = 1; i <= g->nx; ++i) {
            const size_t c = IDX(g, i, j);
            const double h = q->h[c];
            if (h < shallowest) shallowest = h;
            if (h <= H_DRY) {
                dry++;
                continue;
            }
            const double a = sqrt(GRAV * h);
            const double sx = (fabs(q->hu[c]) / h + a) / g->dx;
            const double sy = (fabs(q->hv[c]) / h + a) / g->dy;
            worst = MAXD(worst, MAXD(sx, sy));
        }
    }
    b->stats.minDepth = shallowest;
    b->stats.dryCells += dry;
    b->stats.maxSpeed = MAXD(b->stats.maxSpeed, worst * MAXD(g->dx, g->dy));
    return worst;
}

// Rusanov flux through a face, (un, ut) are normal and tangential momentum.
static inline void rusanov(double hl, double unl, double utl, double hr, double unr, double utr,
                           double *fh, double *fn, double *ft) {
    const double ul = hl > H_DRY ? unl / hl : 0.0;
    const double ur = hr > H_DRY ? unr / hr : 0.0;
    const double sl = fabs(ul) + sqrt(GRAV * hl);
    const double sr = fabs(ur) + sqrt(GRAV * hr);
    const double s = MAXD(sl, sr);
    *fh = 0.5 * (unl + unr) - 0.5 * s * (hr - hl);
    *fn = 0.5 * (unl * ul + 0.5 * GRAV * hl * hl + unr * ur + 0.5 * GRAV * hr * hr)
        - 0.5 * s * (unr - unl);
    *ft = 0.5 * (utl * ul + utr * ur) - 0.5 * s * (utr - utl);
}

static void computeFluxes(Basin *b) {
    const Grid *g = &b->grid;
    const State *q = &b->now;
/* OMP: parallel for schedule(static) */
    for (int j = 1; j <= g->ny; ++j) {
        for (int i = 1; i <= g->nx + 1; ++i) {
            const size_t r = IDX(g, i, j), l = r - 1;
            rusanov(q->h[l], q->hu[l], q->hv[l], q->h[r], q->hu[r], q->hv[r],
                    &b->fx.h[r], &b->fx.hu[r], &b->fx.hv[r]);
        }
    }
/* OMP: parallel for schedule(static) */
    for (int j = 1; j <= g->ny + 1; ++j) {
        for (int i = 1; i <= g->nx; ++i) {
            const size_t u = IDX(g, i, j), d = u - (size_t)g->pitch;
            rusanov(q->h[d], q->hv[d], q->hu[d], q->h[u], q->hv[u], q->hu[u],
                    &b->fy.h[u], &b->fy.hv[u], &b->fy.hu[u]);
        }
    }
}

static void advance(const Config *cfg, Basin *b, double dt) {
    const Grid *g = &b->grid;
    const double rx = dt / g->dx, ry = dt / g->dy;
    const double n2g = cfg->manning * cfg->manning * GRAV;
/* OMP: parallel for schedule(static) */
    for (int j = 1; j <= g->ny; ++j) {
        for (int i = 1; i <= g->nx; ++i) {
            const size_t c = IDX(g, i, j), e = c + 1, n = c + (size_t)g->pitch;
            double h = b->now.h[c] - rx * (b->fx.h[e] - b->fx.h[c]) - ry * (b->fy.h[n] - b->fy.h[c]);
            double hu = b->now.hu[c] - rx * (b->fx.hu[e] - b->fx.hu[c]) - ry * (b->fy.hu[n] - b->fy.hu[c]);
            double hv = b->now.hv[c] - rx * (b->fx.hv[e] - b->fx.hv[c]) - ry * (b->fy.hv[n] - b->fy.hv[c]);
            if (h > H_DRY) {
                // bottom friction (semi-implicit) and rotation of the earth
                const double speed = sqrt(hu * hu + hv * hv) / h;
                const double damp = 1.0 / (1.0 + dt * n2g * speed / (h * cbrt(h)));
                const double turn = dt * cfg->coriolis;
                const double hu0 = hu;
                hu = (hu + turn * hv) * damp;
                hv = (hv - turn * hu0) * damp;
            } else {
                h = h < 0.0 ? 0.0 : h;
                hu = hv = 0.0;
            }
            b->now.h[c] = h;
            b->now.hu[c] = hu;
            b->now.hv[c] = hv;
        }
    }
}

static int run(const Config *cfg, Basin *b) {
    double dt;
    do {
        const double rate = courantSpeed(b);
        if (!(rate > 0.0) || !isfinite(rate)) return -1;
        dt = cfg->cfl / rate;
        if (b->time + dt > cfg->tEnd) dt = cfg->tEnd - b->time;
        fillGhosts(cfg, b);
        computeFluxes(b);
        advance(cfg, b, dt);
        b->time += dt;
        if (++b->steps % cfg->reportEvery == 0)
            printf("step %ld  t=%.6g  dt=%.6g  min depth %.6g\n", b->steps, b->time, dt, b->stats.minDepth);
    } while (b->time < cfg->tEnd && b->steps < cfg->maxSteps);
    return 0;
}

int main(void) {
    const Config cfg = {
        .kind = { [SideLeft] = BcTide, [SideRight] = BcWall, [SideBottom] = BcWall, [SideTop] = BcOpen },
        .tideAmp = 0.4, .tidePeriod = 60.0, .manning = 0.025, .coriolis = 1.0e-4,
        .cfl = 0.45, .tEnd = 400.0, .maxSteps = 90, .reportEvery = 30,
    };
    Basin b;
    int rc = 1;
    memset(&b, 0, sizeof b);
    b.grid = (Grid){ .nx = 300, .ny = 260, .pitch = (300 + 2 + 7) & ~7, .dx = 5.0, .dy = 4.0 };
    const size_t cells = (size_t)b.grid.pitch * (size_t)(b.grid.ny + 2);
    if (!stateAlloc(&b.now, cells) || !stateAlloc(&b.fx, cells) || !stateAlloc(&b.fy, cells)) {
        fprintf(stderr, "out of memory for %zu cells\n", cells);
        goto done;
    }
    for (int j = 1; j <= b.grid.ny; ++j)
        for (int i = 1; i <= b.grid.nx; ++i) {
            const double x = (i - 90) / 25.0, y = (j - 140) / 30.0;
            b.now.h[IDX(&b.grid, i, j)] = 2.0 + 1.5 * exp(-x * x - y * y);
        }
    if (run(&cfg, &b) != 0) {
        fprintf(stderr, "solution blew up at t=%g\n", b.time);
        goto done;
    }
    double mass = 0.0, energy = 0.0, checksum = 0.0;
    for (int j = 1; j <= b.grid.ny; ++j)
        for (int i = 1; i <= b.grid.nx; ++i) {
            const size_t c = IDX(&b.grid, i, j);
            const double h = b.now.h[c];
            mass += h;
            energy += 0.5 * GRAV * h * h;
            if (h > H_DRY) energy += 0.5 * (b.now.hu[c] * b.now.hu[c] + b.now.hv[c] * b.now.hv[c]) / h;
            checksum += h * ((i * 7 + j * 13) % 31);
        }
    printf("volume %.6g  energy %.6g  checksum %.6g\n", mass * b.grid.dx * b.grid.dy, energy, checksum);
    printf("fastest wave %.6g  dry cell-steps %ld\n", b.stats.maxSpeed, b.stats.dryCells);
    rc = 0;
done:
    stateFree(&b.now); stateFree(&b.fx); stateFree(&b.fy);
    return rc;
}
