/*
 * ocean.c - one layer (barotropic) ocean model, closed basin with islands
 *
 * Arakawa C grid, forward-backward in time:
 *
 *              v(i,j+1)
 *      u(i,j)  eta(i,j)  u(i+1,j)
 *              v(i,j)
 *
 * usage: ocean [nx [ny [nsteps]]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define GRAV      9.81
#define RHO0      1025.0
#define F0        1.0e-4
#define BETA      2.0e-11
#define BOTFRIC   1.0e-6
#define VISC      200.0
#define KDIFF     150.0

struct ocean {
    int nx, ny;             /* wet interior, without the ghost ring */
    int pitch;              /* row length, nx + 2 rounded up */
    double dx, dy, dt;
    double *eta, *eta_n;    /* surface elevation */
    double *u, *u_n;
    double *v, *v_n;
    double *temp, *temp_n;  /* passive tracer */
    double *depth;
    double *windx;          /* zonal wind stress per row */
    unsigned char *wet;
};

struct diag {
    double volume, kinetic, potential, heat;
    double umax;
};

#define IX(o, i, j)   ((size_t)(j) * (size_t)(o)->pitch + (size_t)(i))
#define F(o, f, i, j) ((o)->f[IX(o, i, j)])
#define JFIRST(o)     1
#define JLAST(o)      ((o)->ny)
#define IFIRST(o)     1
#define ILAST(o)      ((o)->nx)

static void die(const char *msg) {
    fprintf(stderr, "ocean: %s\n", msg);
    exit(EXIT_FAILURE);
}

static void *xcalloc(size_t n, size_t size) {
    void *p = calloc(n, size);
    if (!p)
        die("out of memory");
    return p;
}

static double bump(double x, double y, double x0, double y0, double r) {
    double d2 = ((x - x0) * (x - x0) + (y - y0) * (y - y0)) / (r * r);
    return exp(-d2);
}

static void ocean_init(struct ocean *o, int nx, int ny) {
    int i, j;
    size_t n;

    o->nx = nx;
    o->ny = ny;
    o->pitch = (nx + 2 + 7) & ~7;
    o->dx = o->dy = 5000.0;
    o->dt = 8.0;
    n = (size_t)o->pitch * (size_t)(ny + 2);
    o->eta = xcalloc(n, sizeof *o->eta);
    o->eta_n = xcalloc(n, sizeof *o->eta_n);
    o->u = xcalloc(n, sizeof *o->u);
    o->u_n = xcalloc(n, sizeof *o->u_n);
    o->v = xcalloc(n, sizeof *o->v);
    o->v_n = xcalloc(n, sizeof *o->v_n);
    o->temp = xcalloc(n, sizeof *o->temp);
    o->temp_n = xcalloc(n, sizeof *o->temp_n);
    o->depth = xcalloc(n, sizeof *o->depth);
    o->wet = xcalloc(n, 1);
    o->windx = xcalloc((size_t)ny + 2, sizeof *o->windx);

    for (j = 1; j <= ny; j++) {
        double y = (j - 0.5) / ny;
        o->windx[j] = -0.1 * cos(2.0 * M_PI * y);
        for (i = 1; i <= nx; i++) {
            double x = (i - 0.5) / nx;
            double d = 3500.0 - 1800.0 * bump(x, y, 0.30, 0.60, 0.15)
                              - 2500.0 * bump(x, y, 0.75, 0.35, 0.10)
                              - 3700.0 * bump(x, y, 0.55, 0.75, 0.06);
            F(o, depth, i, j) = d;
            F(o, wet, i, j) = d > 40.0;
            if (d <= 40.0)
                continue;
            F(o, eta, i, j) = 0.8 * bump(x, y, 0.20, 0.25, 0.05);
            F(o, temp, i, j) = 4.0 + 20.0 * (1.0 - y) + 2.0 * sin(9.0 * x);
        }
    }
}

static void ocean_free(struct ocean *o) {
    free(o->eta);  free(o->eta_n);
    free(o->u);    free(o->u_n);
    free(o->v);    free(o->v_n);
    free(o->temp); free(o->temp_n);
    free(o->depth);
    free(o->windx);
    free(o->wet);
}

/* zonal momentum */
static void step_u(struct ocean *o) {
    int i, j;

    /* OMP: parallel for private(i) */
    for (j = JFIRST(o); j <= JLAST(o); j++) {
        double fcor = F0 + BETA * (j - 0.5 * o->ny) * o->dy;
        for (i = IFIRST(o); i <= ILAST(o); i++) {
            if (!F(o, wet, i, j) || !F(o, wet, i - 1, j)) {
                F(o, u_n, i, j) = 0.0;
                continue;
            }
            double uc = F(o, u, i, j);
            double vb = 0.25 * (F(o, v, i - 1, j) + F(o, v, i, j)
                              + F(o, v, i - 1, j + 1) + F(o, v, i, j + 1));
            double ux = uc > 0 ? uc - F(o, u, i - 1, j) : F(o, u, i + 1, j) - uc;
            double uy = vb > 0 ? uc - F(o, u, i, j - 1) : F(o, u, i, j + 1) - uc;
            double lap = (F(o, u, i + 1, j) - 2 * uc + F(o, u, i - 1, j)) / (o->dx * o->dx)
                       + (F(o, u, i, j + 1) - 2 * uc + F(o, u, i, j - 1)) / (o->dy * o->dy);
            double h = 0.5 * (F(o, depth, i, j) + F(o, depth, i - 1, j));
            double px = GRAV * (F(o, eta, i, j) - F(o, eta, i - 1, j)) / o->dx;

            F(o, u_n, i, j) = uc + o->dt * (fcor * vb - px - uc * ux / o->dx
                    - vb * uy / o->dy + VISC * lap - BOTFRIC * uc
                    + o->windx[j] / (RHO0 * h));
        }
    }
}

/* meridional momentum, takes the u that step_u has just made */
static void step_v(struct ocean *o) {
    int i, j;

    /* OMP: parallel for private(i) */
    for (j = JFIRST(o); j <= JLAST(o); j++) {
        double fcor = F0 + BETA * (j - 0.5 - 0.5 * o->ny) * o->dy;
        for (i = IFIRST(o); i <= ILAST(o); i++) {
            if (!F(o, wet, i, j) || !F(o, wet, i, j - 1)) {
                F(o, v_n, i, j) = 0.0;
                continue;
            }
            double vc = F(o, v, i, j);
            double ub = 0.25 * (F(o, u_n, i, j) + F(o, u_n, i + 1, j)
                              + F(o, u_n, i, j - 1) + F(o, u_n, i + 1, j - 1));
            double vx = ub > 0 ? vc - F(o, v, i - 1, j) : F(o, v, i + 1, j) - vc;
            double vy = vc > 0 ? vc - F(o, v, i, j - 1) : F(o, v, i, j + 1) - vc;
            double lap = (F(o, v, i + 1, j) - 2 * vc + F(o, v, i - 1, j)) / (o->dx * o->dx)
                       + (F(o, v, i, j + 1) - 2 * vc + F(o, v, i, j - 1)) / (o->dy * o->dy);
            double py = GRAV * (F(o, eta, i, j) - F(o, eta, i, j - 1)) / o->dy;

            F(o, v_n, i, j) = vc + o->dt * (-fcor * ub - py - ub * vx / o->dx
                    - vc * vy / o->dy + VISC * lap - BOTFRIC * vc);
        }
    }
}

static double upwind(double vel, double behind, double ahead) {
    return vel >= 0.0 ? vel * behind : vel * ahead;
}

/* continuity and tracer together, both need the same face velocities */
static void step_mass(struct ocean *o) {
    int i, j;
    const double rx = o->dt / o->dx, ry = o->dt / o->dy;

    /* OMP: parallel for private(i) schedule(static) */
    for (j = JFIRST(o); j <= JLAST(o); j++) {
        for (i = IFIRST(o); i <= ILAST(o); i++) {
            if (!F(o, wet, i, j))
                continue;
            double uw = F(o, u_n, i, j), ue = F(o, u_n, i + 1, j);
            double vs = F(o, v_n, i, j), vn = F(o, v_n, i, j + 1);
            double hc = F(o, depth, i, j) + F(o, eta, i, j);
            double he = F(o, depth, i + 1, j) + F(o, eta, i + 1, j);
            double hw = F(o, depth, i - 1, j) + F(o, eta, i - 1, j);
            double hn = F(o, depth, i, j + 1) + F(o, eta, i, j + 1);
            double hs = F(o, depth, i, j - 1) + F(o, eta, i, j - 1);

            F(o, eta_n, i, j) = F(o, eta, i, j)
                - 0.5 * rx * (ue * (hc + he) - uw * (hw + hc))
                - 0.5 * ry * (vn * (hc + hn) - vs * (hs + hc));

            double t = F(o, temp, i, j);
            double te = F(o, wet, i + 1, j) ? F(o, temp, i + 1, j) : t;
            double tw = F(o, wet, i - 1, j) ? F(o, temp, i - 1, j) : t;
            double tn = F(o, wet, i, j + 1) ? F(o, temp, i, j + 1) : t;
            double ts = F(o, wet, i, j - 1) ? F(o, temp, i, j - 1) : t;
            double adv = rx * (upwind(ue, t, te) - upwind(uw, tw, t) - t * (ue - uw))
                       + ry * (upwind(vn, t, tn) - upwind(vs, ts, t) - t * (vn - vs));
            double dif = KDIFF * o->dt * ((te - 2 * t + tw) / (o->dx * o->dx)
                                        + (tn - 2 * t + ts) / (o->dy * o->dy));
            F(o, temp_n, i, j) = t - adv + dif;
        }
    }
}

static void swap(double **a, double **b) {
    double *t = *a;
    *a = *b;
    *b = t;
}

static void diagnose(const struct ocean *o, struct diag *d) {
    double vol = 0, ke = 0, pe = 0, heat = 0, umax = 0;
    double cell = o->dx * o->dy;
    int i, j;

    /* OMP: parallel for private(i) reduction(+:vol,ke,pe,heat) reduction(max:umax) */
    for (j = JFIRST(o); j <= JLAST(o); j++) {
        for (i = IFIRST(o); i <= ILAST(o); i++) {
            if (!F(o, wet, i, j))
                continue;
            double uc = 0.5 * (F(o, u, i, j) + F(o, u, i + 1, j));
            double vc = 0.5 * (F(o, v, i, j) + F(o, v, i, j + 1));
            double h = F(o, depth, i, j) + F(o, eta, i, j);
            double s2 = uc * uc + vc * vc;
            vol += h * cell;
            ke += 0.5 * RHO0 * h * s2 * cell;
            pe += 0.5 * RHO0 * GRAV * F(o, eta, i, j) * F(o, eta, i, j) * cell;
            heat += F(o, temp, i, j) * h * cell;
            if (s2 > umax)
                umax = s2;
        }
    }
    d->volume = vol;
    d->kinetic = ke;
    d->potential = pe;
    d->heat = heat;
    d->umax = sqrt(umax);
}

int main(int argc, char **argv) {
    int nx = argc > 1 ? atoi(argv[1]) : 360;
    int ny = argc > 2 ? atoi(argv[2]) : 280;
    int nsteps = argc > 3 ? atoi(argv[3]) : 240;
    struct ocean o;
    struct diag d;

    if (nx < 4 || ny < 4 || nsteps < 1)
        die("usage: ocean [nx [ny [nsteps]]]");
    memset(&o, 0, sizeof o);
    ocean_init(&o, nx, ny);

    for (int n = 1; n <= nsteps; n++) {
        step_u(&o);
        step_v(&o);
        step_mass(&o);
        swap(&o.u, &o.u_n);
        swap(&o.v, &o.v_n);
        swap(&o.eta, &o.eta_n);
        swap(&o.temp, &o.temp_n);

        if (n % 40 == 0 || n == nsteps) {
            diagnose(&o, &d);
            printf("step %5d vol %.6e ke %.6e pe %.6e heat %.6e umax %.6e\n",
                   n, d.volume, d.kinetic, d.potential, d.heat, d.umax);
            if (!(d.umax < 50.0))
                die("model has blown up");
        }
    }
    ocean_free(&o);
    return 0;
}
