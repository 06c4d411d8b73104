/*
 * plume.c - Eulerian dispersion of stack emissions over complex terrain.
 *
 * usage: plume [nx ny nz hours]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define MAXZ     40
#define NTRACER  2
#define NHILL    36             /* random summits */
#define NSTACK   5
#define HALO     2
#define VONK     0.4
#define PLANE(g)        ((g)->nx * (g)->ny)
#define IX2(g, i, j)    ((j) * (g)->nx + (i))
#define IX3(g, i, j, k) ((k) * PLANE(g) + IX2(g, i, j))

struct grid {
    int nx, ny, nz;
    double dx, dy;
    double zf[MAXZ + 1], dz[MAXZ];      /* layer faces above ground, thickness */
    double *topo;
};

struct met {
    double ustar, dir, mixh, *u, *v, *w;
};

struct tracer {
    const char *name;
    double vd, lambda;          /* deposition velocity m/s, decay 1/s */
    double *c, *cn, *depo;
};

struct stack { int i, j, k; double q[NTRACER]; };

struct model {
    struct grid g;
    struct met m;
    struct tracer t[NTRACER];
    struct stack s[NSTACK];
    double dt;
};

static double rnd(void)
{
    static unsigned long seed = 20240117UL;

    seed = (seed * 1103515245UL + 12345UL) & 0x7fffffffUL;
    return (double)seed / 2147483648.0;
}

static double *dalloc(int n)
{
    double *p = calloc((size_t)n, sizeof *p);

    if (!p)
        exit(fprintf(stderr, "plume: out of memory (%d doubles)\n", n));
    return p;
}

static void make_terrain(struct grid *g)
{
    double hx[NHILL], hy[NHILL], hr[NHILL], hh[NHILL];
    int i, j, h;

    for (h = 0; h < NHILL; h++) {
        hx[h] = rnd() * g->nx * g->dx;   hy[h] = rnd() * g->ny * g->dy;
        hr[h] = 800.0 + 2500.0 * rnd();  hh[h] = 60.0 + 340.0 * rnd();
    }
    /* OMP: parallel for private(i, h) schedule(static) */
    for (j = 0; j < g->ny; j++) {
        for (i = 0; i < g->nx; i++) {
            double z = 0.0;

            for (h = 0; h < NHILL; h++) {
                double ex = ((i + 0.5) * g->dx - hx[h]) / hr[h];
                double ey = ((j + 0.5) * g->dy - hy[h]) / hr[h];
                z += hh[h] * exp(-ex * ex - ey * ey);
            }
            g->topo[IX2(g, i, j)] = z;
        }
    }
}

static void setup(struct model *md, int nx, int ny, int nz)
{
    struct grid *g = &md->g;
    struct stack *st;
    int k, t, n3;

    g->nx = nx; g->ny = ny; g->nz = nz;
    g->dx = g->dy = 250.0;
    for (k = 0; k < nz; k++) {
        g->dz[k] = 20.0 * pow(1.14, k);
        g->zf[k + 1] = g->zf[k] + g->dz[k];
    }
    n3 = PLANE(g) * nz;
    g->topo = dalloc(PLANE(g));
    md->m.u = dalloc(n3); md->m.v = dalloc(n3); md->m.w = dalloc(n3);
    for (t = 0; t < NTRACER; t++) {
        md->t[t].c = dalloc(n3); md->t[t].cn = dalloc(n3);
        md->t[t].depo = dalloc(PLANE(g));
    }
    md->t[0].name = "SO2";  md->t[0].vd = 0.008; md->t[0].lambda = 1.2e-5;
    md->t[1].name = "PM10"; md->t[1].vd = 0.015; md->t[1].lambda = 0.0;
    make_terrain(g);
    for (st = md->s; st < md->s + NSTACK; st++) {
        st->i = nx / 5 + (int)(rnd() * nx * 0.4);
        st->j = ny / 5 + (int)(rnd() * ny * 0.6);
        st->k = 1 + (int)(rnd() * 4.0);
        for (t = 0; t < NTRACER; t++)
            st->q[t] = 20.0 + 80.0 * rnd();     /* g/s */
    }
}

/* log wind, accelerated over summits and turned along the slope */
static void diagnose_wind(struct model *md, double hour)
{
    struct grid *g = &md->g;
    struct met *m = &md->m;
    double uref[MAXZ];
    int nx = g->nx, ny = g->ny, nz = g->nz, i, j, k;

    m->dir = 0.35 + 0.25 * sin(hour * 0.7);
    m->ustar = 0.30 + 0.06 * cos(hour * 0.4);
    m->mixh = 350.0 + 120.0 * hour;
    for (k = 0; k < nz; k++) {
        uref[k] = fmin(8.0, m->ustar / VONK * log(0.5 * (g->zf[k] + g->zf[k + 1]) / 0.3));
    }
    /* OMP: parallel for private(i, k) */
    for (j = 0; j < ny; j++) {
        int jm = j > 0 ? j - 1 : 0, jp = j < ny - 1 ? j + 1 : j;

        for (i = 0; i < nx; i++) {
            int im = i > 0 ? i - 1 : 0, ip = i < nx - 1 ? i + 1 : i;
            double sx = (g->topo[IX2(g, ip, j)] - g->topo[IX2(g, im, j)]) / (2.0 * g->dx);
            double sy = (g->topo[IX2(g, i, jp)] - g->topo[IX2(g, i, jm)]) / (2.0 * g->dy);
            double turn = 0.8 * atan2(sx * sin(m->dir) - sy * cos(m->dir), 1.0);
            double amp = 1.0 + g->topo[IX2(g, i, j)] / 1500.0;
            for (k = 0; k < nz; k++) {
                double damp = exp(-g->zf[k] / 400.0), a = m->dir + turn * damp;
                double s = uref[k] * (1.0 + (amp - 1.0) * damp);
                m->u[IX3(g, i, j, k)] = s * cos(a);
                m->v[IX3(g, i, j, k)] = s * sin(a);
            }
        }
    }
    /* w on the upper cell faces, from continuity */
    /* OMP: parallel for private(i, k) */
    for (j = 1; j < ny - 1; j++) {
        for (i = 1; i < nx - 1; i++) {
            double wlow = 0.0;

            for (k = 0; k < nz; k++) {
                int p = IX3(g, i, j, k);
                double div = (m->u[p + 1] - m->u[p - 1]) / (2.0 * g->dx)
                           + (m->v[p + nx] - m->v[p - nx]) / (2.0 * g->dy);
                wlow -= div * g->dz[k];
                m->w[p] = wlow;
            }
        }
    }
}

static inline double limited(double a, double b)
{
    return a * b <= 0.0 ? 0.0 : 2.0 * a * b / (a + b);
}

/* flux through the face between c0 and c1 */
static inline double face(double cm, double c0, double c1, double cp, double vel, double cr)
{
    if (vel >= 0.0)
        return vel * (c0 + 0.5 * (1.0 - cr * vel) * limited(c0 - cm, c1 - c0));
    return vel * (c1 - 0.5 * (1.0 + cr * vel) * limited(c1 - c0, cp - c1));
}

static void advect(const struct grid *g, const struct met *m, struct tracer *t, double dt)
{
    const double *c = t->c, *u = m->u, *v = m->v;
    double *cn = t->cn, *tmp;
    double rx = dt / g->dx, ry = dt / g->dy;
    int nx = g->nx, i, j, k;

    /* OMP: parallel for collapse(2) private(i) schedule(static) */
    for (k = 0; k < g->nz; k++) {
        for (j = HALO; j < g->ny - HALO; j++) {
            int p = IX3(g, HALO, j, k);
            double west = face(c[p - 2], c[p - 1], c[p], c[p + 1], 0.5 * (u[p - 1] + u[p]), rx);
            for (i = HALO; i < nx - HALO; i++, p++) {
                double east = face(c[p - 1], c[p], c[p + 1], c[p + 2], 0.5 * (u[p] + u[p + 1]), rx);
                double south = face(c[p - 2 * nx], c[p - nx], c[p], c[p + nx], 0.5 * (v[p - nx] + v[p]), ry);
                double north = face(c[p - nx], c[p], c[p + nx], c[p + 2 * nx], 0.5 * (v[p] + v[p + nx]), ry);
                double val = c[p] - rx * (east - west) - ry * (north - south);
                cn[p] = val > 0.0 ? val : 0.0;
                west = east;
            }
        }
    }
    tmp = t->c; t->c = t->cn; t->cn = tmp;
}

static void columns(const struct grid *g, const struct met *m, struct tracer *t, double dt)
{
    double kz[MAXZ + 1];
    int np = PLANE(g), nz = g->nz, k, col;

    kz[0] = kz[nz] = 0.0;
    for (k = 1; k < nz; k++) {
        double r = fmax(0.0, 1.0 - g->zf[k] / m->mixh);
        kz[k] = (0.1 + VONK * m->ustar * g->zf[k] * r * r) / (0.5 * (g->dz[k - 1] + g->dz[k]));
    }

    /* OMP: parallel for private(k) schedule(static) */
    for (col = 0; col < np; col++) {
        double cp[MAXZ], dp[MAXZ], *c = t->c + col;
        const double *w = m->w + col;
        for (k = 0; k < nz; k++) {
            double r = dt / g->dz[k], wl = k > 0 ? w[(k - 1) * np] : 0.0;
            double wu = k < nz - 1 ? w[k * np] : 0.0, lo = -r * (kz[k] + (wl > 0.0 ? wl : 0.0));
            double up = -r * (kz[k + 1] - (wu < 0.0 ? wu : 0.0));
            double di = 1.0 + r * (kz[k] + kz[k + 1] + (wu > 0.0 ? wu : 0.0) - (wl < 0.0 ? wl : 0.0))
                      + dt * t->lambda + (k == 0 ? r * t->vd : 0.0);
            double den = k ? 1.0 / (di - lo * cp[k - 1]) : 1.0 / di;
            cp[k] = up * den;
            dp[k] = (c[k * np] - (k ? lo * dp[k - 1] : 0.0)) * den;
        }
        c[(nz - 1) * np] = dp[nz - 1];
        for (k = nz - 2; k >= 0; k--)
            c[k * np] = dp[k] - cp[k] * c[(k + 1) * np];
        t->depo[col] += t->vd * dt * c[0];
    }
}

static double airborne(const struct grid *g, const double *c)
{
    double mass = 0.0;
    int k, p;

    /* OMP: parallel for private(p) reduction(+:mass) */
    for (k = 0; k < g->nz; k++) {
        double s = 0.0;
        for (p = 0; p < PLANE(g); p++)
            s += c[k * PLANE(g) + p];
        mass += s * g->dz[k] * g->dx * g->dy;
    }
    return mass;
}

static void emit(struct model *md, int t)
{
    struct stack *s;

    for (s = md->s; s < md->s + NSTACK; s++)
        md->t[t].c[IX3(&md->g, s->i, s->j, s->k)] += s->q[t] * md->dt
            / (md->g.dx * md->g.dy * md->g.dz[s->k]);
}

int main(int argc, char **argv)
{
    struct model md;
    int nx = argc > 1 ? atoi(argv[1]) : 128, ny = argc > 2 ? atoi(argv[2]) : 96;
    int nz = argc > 3 ? atoi(argv[3]) : 18;
    int hours = argc > 4 ? atoi(argv[4]) : 4;
    int h, n, t, p, steps = 7;

    if (nx < 12 || ny < 12 || nz < 6 || nz > MAXZ || hours < 1)
        return fprintf(stderr, "plume: bad grid\n");
    memset(&md, 0, sizeof md);
    md.dt = 22.0;
    setup(&md, nx, ny, nz);
    for (h = 0; h < hours; h++) {
        diagnose_wind(&md, h);
        for (n = 0; n < steps; n++)
            for (t = 0; t < NTRACER; t++) {
                emit(&md, t);
                advect(&md.g, &md.m, &md.t[t], md.dt);
                columns(&md.g, &md.m, &md.t[t], md.dt);
            }
        for (t = 0; t < NTRACER; t++)
            printf("hour %d %s %.6g g\n", h, md.t[t].name, airborne(&md.g, md.t[t].c));
    }
    for (t = 0; t < NTRACER; t++) {
        double dep = 0.0, top = 0.0;

        for (p = 0; p < nx * ny; p++) {
            dep += md.t[t].depo[p];
            top = fmax(top, md.t[t].c[p]);
        }
        printf("%-5s deposited %.6g g, ground maximum %.5g ug/m3\n",
               md.t[t].name, dep * md.g.dx * md.g.dy, top * 1e6);
        free(md.t[t].c); free(md.t[t].cn); free(md.t[t].depo);
    }
    free(md.m.u); free(md.m.v); free(md.m.w); free(md.g.topo);
    return 0;
}
