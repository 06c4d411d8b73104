/* b2_physics.c - sandbox step of a small game engine: balls in a uniform grid,
 * some tied into a net by springs, bouncing off static colliders.  Jacobi-style
 * contacts, so the bodies are double buffered (cur -> next).
 * usage: b2_physics [bodies [steps]] */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <math.h>

typedef double real;
typedef struct { real x, y, z; } vec3;

static inline vec3 v3(real x, real y, real z) { return (vec3){ x, y, z }; }
static inline vec3 vadd(vec3 a, vec3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline vec3 vsub(vec3 a, vec3 b) { return v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline vec3 vmul(vec3 a, real s) { return v3(a.x * s, a.y * s, a.z * s); }
static inline vec3 vmad(vec3 a, vec3 b, real s) { return vadd(a, vmul(b, s)); }
static inline real vdot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline real vlen(vec3 a) { return sqrt(vdot(a, a)); }

enum { BF_PINNED = 1, BF_ASLEEP = 2 };

struct body { vec3 pos, vel, force; real radius, inv_mass; uint32_t flags; int32_t cell; };
struct spring { uint32_t a, b; real rest, k, damp; };
enum shape_kind { SH_PLANE, SH_SPHERE, SH_CAPSULE };
struct collider {
    enum shape_kind kind;
    vec3 p, q;              /* plane: point, normal; sphere: centre; capsule: ends */
    real r, bounce;
};
struct grid {
    vec3 lo;
    real inv_cell;
    int nx, ny, nz;
    uint32_t *start, *item; /* ncell + 1 offsets; body ids by cell */
};

struct step_stats { long contacts, hits, asleep; real vmax, energy; };
struct world {
    size_t n_bodies, n_springs;
    struct body *cur, *next;
    struct spring *springs;
    struct grid grid;
    struct collider *col;
    int n_col;
    vec3 gravity;
};

static uint64_t rng = 0x9E3779B97F4A7C15ull;
static real frand(void)
{
    rng = rng * 6364136223846793005ull + 1442695040888963407ull;
    return (real)(rng >> 40) / (real)(1 << 24);
}

static void *need(void *p)
{
    if (p == NULL) { fprintf(stderr, "physics: no memory\n"); exit(2); }
    return p;
}
#define NEW(T, n) ((T *)need(calloc((n), sizeof(T))))

static void world_init(struct world *w, size_t n)
{
    const real side = cbrt((real)n) * 0.9;
    *w = (struct world){ .n_bodies = n, .gravity = { 0, -9.81, 0 }, .cur = NEW(struct body, n), .next = NEW(struct body, n) };
    for (size_t i = 0; i < n; i++) {
        struct body *b = &w->cur[i];
        b->pos = v3(frand() * side, frand() * side + 1, frand() * side);
        b->vel = v3(frand() - 0.5, frand() - 0.5, frand() - 0.5);
        b->radius = 0.25 + 0.2 * frand();
        b->inv_mass = 1.0 / (4.0 * b->radius * b->radius * b->radius + 0.1);
    }
    /* the first m*m bodies become a net stretched over the box */
    uint32_t m = (uint32_t)sqrt((real)n / 16.0);
    w->springs = NEW(struct spring, (size_t)2 * m * m + 1);
    for (uint32_t r = 0; r < m; r++)
        for (uint32_t c = 0; c < m; c++) {
            uint32_t id = r * m + c;
            struct body *b = w->cur + id;
            b->pos = v3((c + 0.5) * side / m, 0.55 * side, (r + 0.5) * side / m);
            b->vel = v3(0, 0, 0);
            if (r == 0 || c == 0 || r == m - 1 || c == m - 1) b->flags |= BF_PINNED;
            struct spring s = { id, 0, side / m, 900.0, 4.0 };
            if (c + 1 < m) { s.b = id + 1; w->springs[w->n_springs++] = s; }
            if (r + 1 < m) { s.b = id + m; w->springs[w->n_springs++] = s; }
        }

    struct grid *g = &w->grid;
    g->inv_cell = 1.0 / 0.92;
    g->lo = v3(-1, -1, -1);
    g->nx = g->nz = (int)((side + 2) * g->inv_cell) + 1;
    g->ny = (int)((side + 4) * g->inv_cell) + 1;
    g->start = NEW(uint32_t, (size_t)g->nx * g->ny * g->nz + 1);
    g->item = NEW(uint32_t, n);

    const struct collider init[] = {
        { SH_PLANE, { 0, 0, 0 }, { 0, 1, 0 }, 0, 0.3 },
        { SH_PLANE, { 0, 0, 0 }, { 1, 0, 0 }, 0, 0.5 }, { SH_PLANE, { side, 0, 0 }, { -1, 0, 0 }, 0, 0.5 },
        { SH_PLANE, { 0, 0, 0 }, { 0, 0, 1 }, 0, 0.5 }, { SH_PLANE, { 0, 0, side }, { 0, 0, -1 }, 0, 0.5 },
        { SH_SPHERE, { side * .3, side * .2, side * .6 }, { 0, 0, 0 }, side * .15, 0.8 },
        { SH_CAPSULE, { side * .6, side * .3, side * .2 }, { side * .8, side * .4, side * .8 }, side * .06, 0.6 },
    };
    w->n_col = (int)(sizeof init / sizeof init[0]);
    w->col = memcpy(need(malloc(sizeof init)), init, sizeof init);
}

static int clampi(int v, int hi) { return v < 0 ? 0 : v >= hi ? hi - 1 : v; }

static void grid_coords(const struct grid *g, vec3 p, int c[3])
{
    c[0] = clampi((int)((p.x - g->lo.x) * g->inv_cell), g->nx);
    c[1] = clampi((int)((p.y - g->lo.y) * g->inv_cell), g->ny);
    c[2] = clampi((int)((p.z - g->lo.z) * g->inv_cell), g->nz);
}
#define CELL(g, x, y, z) (((z) * (g)->ny + (y)) * (g)->nx + (x))

/* counting sort of body ids by cell */
static void grid_build(struct grid *g, struct body *b, size_t n)
{
    const size_t ncell = (size_t)g->nx * g->ny * g->nz;
    memset(g->start, 0, (ncell + 1) * sizeof *g->start);
    for (size_t i = 0; i < n; i++) {
        int c[3];
        grid_coords(g, b[i].pos, c);
        b[i].cell = CELL(g, c[0], c[1], c[2]);
        g->start[b[i].cell]++;
    }
    for (size_t c = 1; c <= ncell; c++)
        g->start[c] += g->start[c - 1];
    for (size_t i = n; i-- > 0; )
        g->item[--g->start[b[i].cell]] = (uint32_t)i;
}

static void apply_springs(struct world *w)
{
    for (const struct spring *s = w->springs; s < w->springs + w->n_springs; s++) {
        struct body *a = &w->cur[s->a], *b = &w->cur[s->b];
        vec3 d = vsub(b->pos, a->pos);
        real len = vlen(d);
        if (len < 1e-9) continue;
        d = vmul(d, 1.0 / len);
        real f = s->k * (len - s->rest) + s->damp * vdot(vsub(b->vel, a->vel), d);
        a->force = vmad(a->force, d, f);
        b->force = vmad(b->force, d, -f);
    }
}

/* Penalty + damping from everything that touches body i; returns contacts. */
static int contact_forces(const struct world *w, size_t i, vec3 *out)
{
    const struct grid *g = &w->grid;
    const struct body *me = &w->cur[i];
    vec3 f = v3(0, 0, 0);
    int c[3], touching = 0;
    grid_coords(g, me->pos, c);
    for (int z = c[2] - 1; z <= c[2] + 1; z++)
        for (int y = c[1] - 1; y <= c[1] + 1; y++) {
            if (z < 0 || z >= g->nz || y < 0 || y >= g->ny) continue;
            int x0 = c[0] > 0 ? c[0] - 1 : 0, x1 = c[0] + 1 < g->nx ? c[0] + 1 : g->nx - 1;
            /* cells of a run in x are contiguous in item[] */
            const uint32_t *it = g->item + g->start[CELL(g, x0, y, z)];
            const uint32_t *end = g->item + g->start[CELL(g, x1, y, z) + 1];
            for (; it != end; ++it) {
                if (*it == i) continue;
                const struct body *o = &w->cur[*it];
                vec3 d = vsub(me->pos, o->pos);
                real rr = me->radius + o->radius, d2 = vdot(d, d);
                if (d2 >= rr * rr || d2 < 1e-12) continue;
                real dist = sqrt(d2);
                vec3 nrm = vmul(d, 1.0 / dist);
                f = vmad(f, nrm, 400.0 * (rr - dist) - 3.0 * vdot(vsub(me->vel, o->vel), nrm));
                touching++;
            }
        }
    *out = f;
    return touching;
}

static int collide_static(const struct collider *c, struct body *b)
{
    vec3 n;
    real depth;
    switch (c->kind) {
    case SH_PLANE:
        depth = b->radius - vdot(vsub(b->pos, c->p), n = c->q);
        break;
    case SH_SPHERE: case SH_CAPSULE: {
        vec3 axis = vsub(c->q, c->p), on = c->p;
        if (c->kind == SH_CAPSULE) {
            real t = vdot(vsub(b->pos, c->p), axis) / vdot(axis, axis);
            on = vmad(c->p, axis, t < 0 ? 0 : t > 1 ? 1 : t);
        }
        vec3 d = vsub(b->pos, on);
        real len = vlen(d);
        if (len < 1e-9) return 0;
        n = vmul(d, 1.0 / len);
        depth = b->radius + c->r - len;
        break; }
    default: return 0;
    }
    if (depth <= 0) return 0;
    b->pos = vmad(b->pos, n, depth);
    real vn = vdot(b->vel, n);
    if (vn < 0) b->vel = vmad(b->vel, n, -(1.0 + c->bounce) * vn);
    return 1;
}

static void world_step(struct world *w, real dt, struct step_stats *st)
{
    long contacts = 0, hits = 0, asleep = 0;
    real vmax = 0, energy = 0;
    grid_build(&w->grid, w->cur, w->n_bodies);
    apply_springs(w);
    /* OMP: parallel for schedule(dynamic,256) reduction(+:contacts) */
    for (size_t i = 0; i < w->n_bodies; i++) {
        struct body *nb = &w->next[i];
        vec3 f;
        *nb = w->cur[i];
        nb->force = v3(0, 0, 0);
        if (nb->flags & BF_PINNED) continue;
        contacts += contact_forces(w, i, &f);
        f = vadd(f, w->cur[i].force);
        nb->vel = vmul(vmad(nb->vel, vmad(w->gravity, f, nb->inv_mass), dt), 0.998);
        nb->pos = vmad(nb->pos, nb->vel, dt);
    }

    /* OMP: parallel for schedule(static) reduction(+:hits,asleep,energy) reduction(max:vmax) */
    for (size_t i = 0; i < w->n_bodies; i++) {
        struct body *b = &w->next[i];
        if (b->flags & BF_PINNED) continue;
        for (int k = 0; k < w->n_col; k++) hits += collide_static(&w->col[k], b);
        real s = vlen(b->vel);
        if (s < 0.05) { b->flags |= BF_ASLEEP; asleep++; } else b->flags &= ~(uint32_t)BF_ASLEEP;
        if (s > vmax) vmax = s;
        energy += 0.5 * s * s / b->inv_mass - vdot(w->gravity, b->pos) / b->inv_mass;
    }

    struct body *t = w->cur; w->cur = w->next; w->next = t;
    *st = (struct step_stats){ contacts / 2, hits, asleep, vmax, energy };
}

/* mean number of bodies within `reach` of a body (crowd density shown in the HUD) */
static real crowding(const struct world *w, real reach)
{
    const size_t n = w->n_bodies, m = n < 700 ? n : 700;
    unsigned long near = 0;
    /* OMP: parallel for schedule(static) reduction(+:near) */
    for (size_t i = 0; i < m; i++) {
        const vec3 p = w->cur[i * (n / m)].pos;
        for (const struct body *b = w->cur + n; b-- > w->cur; ) {
            vec3 d = vsub(b->pos, p);
            if (vdot(d, d) < reach * reach) near++;
        }
    }
    return (real)near / (real)m;
}

int main(int argc, char *argv[])
{
    long n = argc > 1 ? strtol(argv[1], NULL, 10) : 40000;
    int steps = argc > 2 ? atoi(argv[2]) : 60;
    if (n < 64 || n > 50000000 || steps < 1)
        return fprintf(stderr, "usage: %s [bodies>=64 [steps]]\n", argv[0]), 1;
    struct world w;
    struct step_stats st = { 0 };
    long contacts = 0, hits = 0;
    real dt = 0.004, t = 0;
    world_init(&w, (size_t)n);
    for (int s = 0; s < steps; s++) {
        world_step(&w, dt, &st);
        contacts += st.contacts; hits += st.hits; t += dt;
        dt = st.vmax * dt > 0.05 ? 0.05 / st.vmax : 0.004;      /* CFL-like cap */
    }
    printf("t=%.6e energy=%.6e vmax=%.6e\n", t, st.energy, st.vmax);
    printf("contacts=%ld hits=%ld asleep=%ld\n", contacts, hits, st.asleep);
    printf("crowding=%.6e\n", crowding(&w, 2.5));
    return 0;
}
