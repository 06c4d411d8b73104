// Coarse-grained "protein soup": bead-spring chains in a periodic box.
//
//   protein [cells-per-side] [steps] [temperature]
//
// Lennard-Jones between all beads that are not bonded to each other,
// harmonic bonds along each chain, velocity Verlet, Verlet neighbour lists
// that are rebuilt when some bead has moved more than half the skin.
// Reduced units everywhere (sigma = epsilon = mass = 1).

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef double real;

typedef struct {
    int first, second;
    real r0, k;
} Bond;

typedef struct {
    int   pitch;       // room per bead
    int  *count;       // [n]
    int  *partner;     // [n * pitch]
    real  range;       // cutoff + skin
    real *x0, *y0, *z0; // positions at the last build
    int   builds;
} NeighbourList;

typedef struct {
    int   n;
    int   chain_length;
    real  box;
    real *x, *y, *z;
    real *vx, *vy, *vz;
    real *fx, *fy, *fz;
    int   nbonds;
    Bond *bonds;
    NeighbourList nl;
} System;

typedef struct {
    real lj, bond, kinetic, virial;
} Energies;

static const real kCutoff = 2.5;
static const real kSkin   = 0.4;

static void *xmalloc(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p) {
        fprintf(stderr, "protein: out of memory (%zu bytes)\n", bytes);
        exit(EXIT_FAILURE);
    }
    return p;
}

static real *vec(int n)
{
    real *v = xmalloc(sizeof(real) * (size_t)n);
    for (int i = 0; i < n; i++) v[i] = 0;
    return v;
}

// Good enough for initial velocities.
static real uniform(void)
{
    static unsigned state = 12345u;
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / (real)(1u << 24);
}

static inline real min_image(real d, real box)
{
    const real half = 0.5 * box;
    if (d > half) return d - box;
    if (d < -half) return d + box;
    return d;
}

static inline real wrap(real a, real box)
{
    return a < 0 ? a + box : (a >= box ? a - box : a);
}

static inline int cell_of(real a, real inv, int nc)
{
    const int c = (int)(a * inv);
    return c < nc ? c : nc - 1;
}

static inline bool bonded(const System *s, int i, int j)
{
    const int d = i - j;
    return (d == 1 || d == -1) && i / s->chain_length == j / s->chain_length;
}

static void system_init(System *s, int side, real temperature)
{
    const real a = 1.09;    // lattice spacing -> density about 0.77
    const int n = side * side * side;

    s->n = n;
    s->chain_length = side;
    s->box = a * side;
    s->x = vec(n);  s->y = vec(n);  s->z = vec(n);
    s->vx = vec(n); s->vy = vec(n); s->vz = vec(n);
    s->fx = vec(n); s->fy = vec(n); s->fz = vec(n);

    s->bonds = xmalloc(sizeof(Bond) * (size_t)n);
    s->nbonds = 0;

    real px = 0, py = 0, pz = 0;
    for (int i = 0; i < n; i++) {
        s->x[i] = a * (i % side + 0.5);
        s->y[i] = a * (i / side % side + 0.5);
        s->z[i] = a * (i / (side * side) + 0.5);
        s->vx[i] = (uniform() - 0.5) * sqrt(12 * temperature);
        s->vy[i] = (uniform() - 0.5) * sqrt(12 * temperature);
        s->vz[i] = (uniform() - 0.5) * sqrt(12 * temperature);
        px += s->vx[i]; py += s->vy[i]; pz += s->vz[i];
        if (i % side != side - 1)
            s->bonds[s->nbonds++] = (Bond){ i, i + 1, 1.0, 150.0 };
    }
    for (int i = 0; i < n; i++)     // no drift
        s->vx[i] -= px / n, s->vy[i] -= py / n, s->vz[i] -= pz / n;

    NeighbourList *nl = &s->nl;
    nl->pitch = 128;
    nl->count = xmalloc(sizeof(int) * (size_t)n);
    nl->partner = xmalloc(sizeof(int) * (size_t)n * (size_t)nl->pitch);
    nl->range = kCutoff + kSkin;
    nl->x0 = vec(n); nl->y0 = vec(n); nl->z0 = vec(n);
    nl->builds = 0;
}

// Cell lists first, then the full list (every pair is stored twice).
static void build_neighbours(System *s)
{
    NeighbourList *nl = &s->nl;
    const int nc = (int)(s->box / nl->range);
    const real inv = nc / s->box;
    const real r2max = nl->range * nl->range;
    int *head = xmalloc(sizeof(int) * (size_t)(nc * nc * nc));
    int *next = xmalloc(sizeof(int) * (size_t)s->n);

    for (int c = 0; c < nc * nc * nc; c++) head[c] = -1;
    for (int i = 0; i < s->n; i++) {
        const int c = (cell_of(s->z[i], inv, nc) * nc + cell_of(s->y[i], inv, nc)) * nc
                    + cell_of(s->x[i], inv, nc);
        next[i] = head[c];
        head[c] = i;
        nl->x0[i] = s->x[i]; nl->y0[i] = s->y[i]; nl->z0[i] = s->z[i];
    }

    /* OMP: parallel for schedule(static) */
    for (int i = 0; i < s->n; i++) {
        int *mine = nl->partner + (size_t)i * nl->pitch;
        int found = 0;
        const int ix = cell_of(s->x[i], inv, nc);
        const int iy = cell_of(s->y[i], inv, nc);
        const int iz = cell_of(s->z[i], inv, nc);
        for (int dz = -1; dz <= 1; dz++)
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    const int c = ((iz + dz + nc) % nc * nc + (iy + dy + nc) % nc) * nc
                                + (ix + dx + nc) % nc;
                    for (int j = head[c]; j >= 0; j = next[j]) {
                        if (j == i || bonded(s, i, j)) continue;
                        const real rx = min_image(s->x[i] - s->x[j], s->box);
                        const real ry = min_image(s->y[i] - s->y[j], s->box);
                        const real rz = min_image(s->z[i] - s->z[j], s->box);
                        if (rx * rx + ry * ry + rz * rz > r2max) continue;
                        if (found == nl->pitch) {
                            fprintf(stderr, "protein: neighbour list overflow at bead %d\n", i);
                            exit(EXIT_FAILURE);
                        }
                        mine[found++] = j;
                    }
                }
        nl->count[i] = found;
    }

    nl->builds++;
    free(head); free(next);
}

static bool list_is_stale(const System *s)
{
    const real limit = 0.25 * kSkin * kSkin;
    for (int i = 0; i < s->n; i++) {
        const real dx = min_image(s->x[i] - s->nl.x0[i], s->box);
        const real dy = min_image(s->y[i] - s->nl.y0[i], s->box);
        const real dz = min_image(s->z[i] - s->nl.z0[i], s->box);
        if (dx * dx + dy * dy + dz * dz > limit) return true;
    }
    return false;
}

static void lj_forces(System *s, Energies *e)
{
    const real *x = s->x, *y = s->y, *z = s->z;
    const real box = s->box, rc2 = kCutoff * kCutoff;
    const real ic6 = 1.0 / (rc2 * rc2 * rc2);
    const real shift = 4.0 * ic6 * (ic6 - 1.0);
    real pot = 0, vir = 0;

    /* OMP: parallel for reduction(+:pot,vir) */
    for (int i = 0; i < s->n; i++) {
        const int *p = s->nl.partner + (size_t)i * s->nl.pitch;
        const int *end = p + s->nl.count[i];
        real ax = 0, ay = 0, az = 0;
        while (p < end) {
            const int j = *p++;
            const real dx = min_image(x[i] - x[j], box);
            const real dy = min_image(y[i] - y[j], box);
            const real dz = min_image(z[i] - z[j], box);
            const real r2 = dx * dx + dy * dy + dz * dz;
            if (r2 >= rc2) continue;
            const real i2 = 1.0 / r2, i6 = i2 * i2 * i2;
            const real f = 24.0 * i6 * (2.0 * i6 - 1.0) * i2;
            ax += f * dx; ay += f * dy; az += f * dz;
            pot += 0.5 * (4.0 * i6 * (i6 - 1.0) - shift);   // pair seen twice
            vir += 0.5 * f * r2;
        }
        s->fx[i] = ax; s->fy[i] = ay; s->fz[i] = az;
    }
    e->lj = pot;
    e->virial = vir;
}

static void bond_forces(System *s, Energies *e)
{
    e->bond = 0;
    for (int b = 0; b < s->nbonds; b++) {
        const Bond *bd = &s->bonds[b];
        const int i = bd->first, j = bd->second;
        const real dx = min_image(s->x[i] - s->x[j], s->box);
        const real dy = min_image(s->y[i] - s->y[j], s->box);
        const real dz = min_image(s->z[i] - s->z[j], s->box);
        const real r = sqrt(dx * dx + dy * dy + dz * dz), st = r - bd->r0;
        const real f = -2.0 * bd->k * st / r;
        s->fx[i] += f * dx; s->fy[i] += f * dy; s->fz[i] += f * dz;
        s->fx[j] -= f * dx; s->fy[j] -= f * dy; s->fz[j] -= f * dz;
        e->bond += bd->k * st * st;
        e->virial += f * r * r;
    }
}

static void forces(System *s, Energies *e)
{
    if (s->nl.builds == 0 || list_is_stale(s)) build_neighbours(s);
    lj_forces(s, e);
    bond_forces(s, e);
}

static void verlet_step(System *s, real dt, Energies *e)
{
    const real h = 0.5 * dt;
    for (int i = 0; i < s->n; i++) {
        s->vx[i] += h * s->fx[i]; s->vy[i] += h * s->fy[i]; s->vz[i] += h * s->fz[i];
        s->x[i] = wrap(s->x[i] + dt * s->vx[i], s->box);
        s->y[i] = wrap(s->y[i] + dt * s->vy[i], s->box);
        s->z[i] = wrap(s->z[i] + dt * s->vz[i], s->box);
    }
    forces(s, e);
    e->kinetic = 0;
    for (int i = 0; i < s->n; i++) {
        s->vx[i] += h * s->fx[i]; s->vy[i] += h * s->fy[i]; s->vz[i] += h * s->fz[i];
        e->kinetic += 0.5 * (s->vx[i] * s->vx[i] + s->vy[i] * s->vy[i] + s->vz[i] * s->vz[i]);
    }
}

int main(int argc, char **argv)
{
    const int side = argc > 1 ? atoi(argv[1]) : 16;
    const int steps = argc > 2 ? atoi(argv[2]) : 160;
    const real temp = argc > 3 ? atof(argv[3]) : 1.2;
    System s;
    Energies e = { 0 };

    if (side < 9 || steps < 1) {
        fprintf(stderr, "usage: %s [side >= 9] [steps] [temperature]\n", argv[0]);
        return EXIT_FAILURE;
    }
    system_init(&s, side, temp);
    forces(&s, &e);
    for (int t = 1; t <= steps; t++) {
        verlet_step(&s, 0.003, &e);
        if (t % (steps >= 5 ? steps / 5 : 1) == 0)
            printf("%6d  LJ %.6e  bond %.6e  kin %.6e  total %.5e\n", t, e.lj, e.bond,
                   e.kinetic, e.lj + e.bond + e.kinetic);
    }
    const real vol = s.box * s.box * s.box;
    printf("pressure %.5e  rebuilds %d  temperature %.6e\n",
           (2.0 * e.kinetic + e.virial) / (3.0 * vol), s.nl.builds, 2.0 * e.kinetic / (3.0 * s.n));
    return 0;       // the process ends, no need to tidy up
}
