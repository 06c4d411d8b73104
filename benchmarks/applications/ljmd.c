/* ljmd -- Lennard-Jones fluid, velocity Verlet, full neighbour lists */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define CUBE(x) ((x)*(x)*(x))
#define MAXNEIGH 160

typedef double real;

struct atom {
    real r[3];      /* position, always inside the box */
    real v[3];
    real f[3];
    real r0[3];     /* position when the list was built */
    real epot, vir;
    int type;
};

struct species { real mass, eps, sigma; };

struct neigh { int num; int idx[MAXNEIGH]; };

struct cells {
    int n;          /* cells per side */
    int *head;      /* n^3, first atom in cell or -1 */
    int *next;      /* natoms, linked through the atoms */
};

struct md {
    int natoms;
    real box, rcut, skin, dt;
    struct atom *atoms;
    struct neigh *list;
    struct cells cells;
    struct species sp[2];
    struct { int rebuilds, overflow; long pairs; } count;
};

struct thermo { real ekin, epot, virial, temp, press, mom[3]; };

typedef void (*observer_fn)(const struct md *, const struct thermo *, int step, void *arg);
struct observer { int every; observer_fn fn; void *arg; };

static unsigned int lcg = 20210407u;
static real rnd(void)
{
    lcg = lcg * 1664525u + 1013904223u;
    return (lcg >> 8) / 16777216.0;
}

/* minimum image of one component */
static inline real minimg(real d, real box, real half)
{
    if (d > half) d -= box;
    else if (d < -half) d += box;
    return d;
}

static void cells_fill(struct md *md)
{
    struct cells *c = &md->cells;
    int i, k, nc = CUBE(c->n);

    for (i = 0; i < nc; i++) c->head[i] = -1;
    for (i = 0; i < md->natoms; i++) {
        int id = 0;
        for (k = 0; k < 3; k++) {
            int q = (int)(md->atoms[i].r[k] / md->box * c->n);
            if (q >= c->n) q = c->n - 1;
            id = id * c->n + q;
            md->atoms[i].r0[k] = md->atoms[i].r[k];
        }
        c->next[i] = c->head[id];
        c->head[id] = i;
    }
}

static void list_build(struct md *md)
{
    const real rl2 = (md->rcut + md->skin) * (md->rcut + md->skin);
    const real box = md->box, half = 0.5 * box;
    const int n = md->cells.n;
    int i, over = 0;
    long pairs = 0;

    cells_fill(md);
    /* OMP: parallel for schedule(dynamic, 64) reduction(+:over, pairs) */
    for (i = 0; i < md->natoms; i++) {
        struct neigh *nb = &md->list[i];
        const real *ri = md->atoms[i].r;
        int c[3], k, dx, dy, dz;
        for (k = 0; k < 3; k++) {
            c[k] = (int)(ri[k] / box * n);
            if (c[k] >= n) c[k] = n - 1;
        }
        nb->num = 0;
        for (dx = -1; dx <= 1; dx++)
        for (dy = -1; dy <= 1; dy++)
        for (dz = -1; dz <= 1; dz++) {
            int id = (((c[0]+dx+n)%n)*n + (c[1]+dy+n)%n)*n + (c[2]+dz+n)%n;
            int j;
            for (j = md->cells.head[id]; j >= 0; j = md->cells.next[j]) {
                const real *rj = md->atoms[j].r;
                real x = minimg(ri[0]-rj[0], box, half);
                real y = minimg(ri[1]-rj[1], box, half);
                real z = minimg(ri[2]-rj[2], box, half);
                if (j == i || x*x + y*y + z*z > rl2) continue;
                if (nb->num == MAXNEIGH) { over++; break; }
                nb->idx[nb->num++] = j;
            }
        }
        pairs += nb->num;
    }
    md->count.pairs = pairs;
    md->count.overflow += over; md->count.rebuilds++;
}

/* has anyone moved more than half a skin? */
static int list_stale(const struct md *md)
{
    const real lim = 0.25 * md->skin * md->skin, half = 0.5 * md->box;
    int i, k;
    for (i = 0; i < md->natoms; i++) {
        real d2 = 0;
        for (k = 0; k < 3; k++) {
            real d = minimg(md->atoms[i].r[k] - md->atoms[i].r0[k], md->box, half);
            d2 += d*d;
        }
        if (d2 > lim) return 1;
    }
    return 0;
}

static void forces(struct md *md)
{
    const real rc2 = md->rcut * md->rcut, box = md->box, half = 0.5*box;
    real eps[2][2], sig2[2][2];
    int i, a, b;

    for (a = 0; a < 2; a++)
        for (b = 0; b < 2; b++) {       /* Lorentz-Berthelot */
            real s = 0.5 * (md->sp[a].sigma + md->sp[b].sigma);
            eps[a][b] = sqrt(md->sp[a].eps * md->sp[b].eps);
            sig2[a][b] = s*s;
        }
    /* OMP: parallel for schedule(dynamic, 64) */
    for (i = 0; i < md->natoms; i++) {
        struct atom *p = &md->atoms[i];
        const struct neigh *nb = &md->list[i];
        real f[3] = {0, 0, 0}, e = 0, w = 0;
        int m;
        for (m = 0; m < nb->num; m++) {
            const struct atom *q = &md->atoms[nb->idx[m]];
            real d[3], r2, s6, ff;
            d[0] = minimg(p->r[0] - q->r[0], box, half);
            d[1] = minimg(p->r[1] - q->r[1], box, half);
            d[2] = minimg(p->r[2] - q->r[2], box, half);
            r2 = d[0]*d[0] + d[1]*d[1] + d[2]*d[2];
            if (r2 >= rc2) continue;
            s6 = CUBE(sig2[p->type][q->type] / r2);
            ff = 24.0 * eps[p->type][q->type] * s6 * (2.0*s6 - 1.0) / r2;
            f[0] += ff*d[0]; f[1] += ff*d[1]; f[2] += ff*d[2];
            e += 2.0 * eps[p->type][q->type] * s6 * (s6 - 1.0);
            w += 0.5 * ff * r2;
        }
        p->f[0] = f[0]; p->f[1] = f[1]; p->f[2] = f[2]; p->epot = e; p->vir = w;
    }
}

static void kick(struct md *md, real dt)
{
    int i, k;
    for (i = 0; i < md->natoms; i++) {
        struct atom *p = &md->atoms[i];
        for (k = 0; k < 3; k++) p->v[k] += 0.5*dt * p->f[k] / md->sp[p->type].mass;
    }
}

static void drift(struct md *md, real dt)
{
    int i, k;
    for (i = 0; i < md->natoms; i++) {
        real *r = md->atoms[i].r, *v = md->atoms[i].v;
        for (k = 0; k < 3; k++) {
            r[k] += dt * v[k];
            if (r[k] < 0) r[k] += md->box;
            else if (r[k] >= md->box) r[k] -= md->box;
        }
    }
}

static void measure(const struct md *md, struct thermo *t)
{
    int i, k;
    t->ekin = t->epot = t->virial = 0;
    t->mom[0] = t->mom[1] = t->mom[2] = 0;
    for (i = 0; i < md->natoms; i++) {
        const struct atom *p = &md->atoms[i];
        real m = md->sp[p->type].mass;
        t->epot += p->epot; t->virial += p->vir;
        for (k = 0; k < 3; k++) {
            t->ekin += 0.5 * m * p->v[k]*p->v[k];
            t->mom[k] += m * p->v[k];
        }
    }
    t->temp = 2.0*t->ekin / (3.0*md->natoms);
    t->press = (2.0*t->ekin + t->virial) / (3.0*CUBE(md->box));
}

static void print_thermo(const struct md *md, const struct thermo *t, int step, void *arg)
{
    (void)arg;
    printf("%5d  E %.5g  T %.5g  P %.4g\n", step, (t->ekin + t->epot)/md->natoms, t->temp, t->press);
}

static void track_max_temp(const struct md *md, const struct thermo *t, int step, void *arg)
{
    (void)md; (void)step;
    if (t->temp > *(real *)arg) *(real *)arg = t->temp;
}

static int setup(struct md *md, int side, real density)
{
    int i, k, x, y, z;
    real a, mom[3] = {0, 0, 0}, mtot = 0;

    md->natoms = CUBE(side);
    md->box = cbrt(md->natoms / density);
    md->cells.n = (int)(md->box / (md->rcut + md->skin));
    md->atoms = calloc(md->natoms, sizeof *md->atoms);
    md->list = malloc(md->natoms * sizeof *md->list);
    md->cells.head = malloc(CUBE(md->cells.n) * sizeof(int));
    md->cells.next = malloc(md->natoms * sizeof(int));
    if (!md->atoms || !md->list || !md->cells.head || !md->cells.next || md->cells.n < 3) return -1;
    a = md->box / side;
    for (i = x = 0; x < side; x++)
    for (y = 0; y < side; y++)
    for (z = 0; z < side; z++, i++) {
        struct atom *p = &md->atoms[i];
        const int xyz[3] = {x, y, z};
        p->type = (x + y + z) % 5 == 0;
        mtot += md->sp[p->type].mass;
        for (k = 0; k < 3; k++) {
            p->r[k] = (xyz[k] + 0.4 + 0.2*rnd()) * a;
            p->v[k] = 2.5 * (rnd() - 0.5);
            mom[k] += md->sp[p->type].mass * p->v[k];
        }
    }
    for (i = 0; i < md->natoms; i++)
        for (k = 0; k < 3; k++) md->atoms[i].v[k] -= mom[k] / mtot;
    return 0;
}

int main(void)
{
    struct md md = { .rcut = 2.5, .skin = 0.4, .dt = 0.003, .sp = { {1.0, 1.0, 1.0}, {2.0, 0.8, 1.05} } };
    struct thermo th;
    real tmax = 0;
    struct observer obs[] = { {20, print_thermo, NULL}, {5, track_max_temp, &tmax} };
    int step, rc = 0;
    size_t o;

    if (setup(&md, 14, 0.8) != 0) { rc = 1; goto out; }
    list_build(&md); forces(&md);
    for (step = 1; step <= 80; step++) {
        kick(&md, md.dt); drift(&md, md.dt);
        if (list_stale(&md)) list_build(&md);
        forces(&md); kick(&md, md.dt);
        measure(&md, &th);
        for (o = 0; o < sizeof obs / sizeof *obs; o++)
            if (step % obs[o].every == 0) obs[o].fn(&md, &th, step, obs[o].arg);
    }
    printf("tmax %.5g rebuilds %d pairs/atom %.4g overflow %d\n", tmax, md.count.rebuilds,
           (double)md.count.pairs / md.natoms, md.count.overflow);
out:
    free(md.atoms); free(md.list); free(md.cells.head); free(md.cells.next);
    return rc;
}
