/*
 * drape -- a square of cloth falls over moving balls and a floor.
 *
 * Verlet prediction with bending springs, strain limiting along both thread
 * directions, self contact through a uniform grid, friction at contacts.
 *
 * usage: drape [side] [steps]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NBALLS   14
#define SWEEPS   4
#define GRAVITY  9.81
#define REST     0.02
#define THICK    (0.9 * REST)
#define CELL     (1.5 * REST)
#define HASHSIZE 16384u

typedef struct { double x, y, z; } vec3;

typedef struct { vec3 mid; double radius, orbit, phase; vec3 now; } ball;

typedef struct {
    size_t side, count;
    vec3 *pos, *old, *next, *push;  /* the first three rotate */
} cloth;

typedef struct {
    unsigned *start, *slot, *bucket;    /* bucket starts, sorted particles, bucket of each */
} hashgrid;

struct scene {
    cloth c;
    hashgrid h;
    ball balls[NBALLS];
    double time, dt;
    unsigned long touches, folds;
};

static inline vec3 v3(double x, double y, double z) { vec3 r = { x, y, z }; return r; }
static inline vec3 add(vec3 a, vec3 b)      { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline vec3 sub(vec3 a, vec3 b)      { return v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline vec3 mul(vec3 a, double s)    { return v3(a.x * s, a.y * s, a.z * s); }
static inline double dot(vec3 a, vec3 b)    { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3 axpy(double s, vec3 a, vec3 b) { return add(mul(a, s), b); }
static inline double len(vec3 a)            { return sqrt(dot(a, a)); }

static double frand(void)
{
    static unsigned rstate = 90210u;

    rstate = rstate * 747796405u + 2891336453u;
    return ((rstate >> 9) & 0x3fffff) / 4194304.0;
}

static void *grab(size_t n, size_t size)
{
    void *p = calloc(n, size);
    return p ? p : (abort(), p);
}

static void build(struct scene *s, size_t side)
{
    cloth *c = &s->c;
    double half = 0.5 * REST * (double)(side - 1);

    c->side = side;
    c->count = side * side;
    c->pos = grab(c->count, sizeof(vec3));
    c->old = grab(c->count, sizeof(vec3));
    c->next = grab(c->count, sizeof(vec3));
    c->push = grab(c->count, sizeof(vec3));
    s->h.start = grab(HASHSIZE + 1, sizeof(unsigned));
    s->h.slot = grab(c->count, sizeof(unsigned));
    s->h.bucket = grab(c->count, sizeof(unsigned));
    for (size_t i = 0; i < c->count; i++) {
        double x = (double)(i % side) * REST - half, y = (double)(i / side) * REST - half;
        c->pos[i] = c->old[i] = v3(x, y, 0.62 + 0.01 * sin(7.0 * x) + 0.004 * frand());
    }
    for (ball *b = s->balls; b < s->balls + NBALLS; b++) {
        b->radius = 0.10 + 0.12 * frand();
        b->mid = v3(1.8 * half * (frand() - 0.5), 1.8 * half * (frand() - 0.5), 0.15 + 0.25 * frand());
        b->orbit = 0.12 * frand();
        b->phase = 6.28 * frand();
    }
    s->dt = 1.0 / 120.0;
}

static void move_balls(struct scene *s)
{
    int k = NBALLS;

    while (k-- > 0) {
        ball *b = &s->balls[k];
        double a = b->phase + 1.7 * s->time;
        b->now = add(b->mid, v3(b->orbit * cos(a), b->orbit * sin(a), 0.0));
    }
}

/* pull towards the neighbour two threads away (bending) or diagonal (shear) */
static inline vec3 spring(const vec3 *p, size_t i, size_t j, double rest, double k)
{
    vec3 d = sub(p[j], p[i]);
    double l = len(d);
    return mul(d, k * (l - rest) / (l + 1e-9));
}

/* offsets below zero wrap and fail the test */
#define SPRING(di, dj, rest, k) \
    if (i + (size_t)(di) < n && j + (size_t)(dj) < n) \
        f = add(f, spring(pos, at, at + (size_t)(di) * n + (size_t)(dj), rest, k))

static void predict(struct scene *s)
{
    const size_t n = s->c.side;
    const vec3 *pos = s->c.pos, *old = s->c.old;
    vec3 *next = s->c.next;
    const double dt2 = s->dt * s->dt, gust = 1.5 * sin(2.0 * s->time);

    /* OMP: parallel for collapse(2) schedule(static) */
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            size_t at = i * n + j;
            vec3 f = v3(gust, 0.4 * gust, -GRAVITY), v = sub(pos[at], old[at]);
            SPRING(2, 0, 2 * REST, 900.0);
            SPRING(-2, 0, 2 * REST, 900.0);
            SPRING(0, 2, 2 * REST, 900.0);
            SPRING(0, -2, 2 * REST, 900.0);
            SPRING(1, 1, M_SQRT2 * REST, 500.0);
            SPRING(1, -1, M_SQRT2 * REST, 500.0);
            SPRING(-1, 1, M_SQRT2 * REST, 500.0);
            SPRING(-1, -1, M_SQRT2 * REST, 500.0);
            next[at] = axpy(dt2, f, axpy(0.985, v, pos[at]));
        }
    }
}

/* bring both ends of one thread segment back to within 2 % of its length */
static inline void limit(vec3 *a, vec3 *b)
{
    vec3 d = sub(*b, *a);
    double l = len(d), want = l > 1.02 * REST ? 1.02 * REST : l < 0.9 * REST ? 0.9 * REST : l;
    vec3 half = mul(d, 0.5 * (l - want) / (l + 1e-12));
    *a = add(*a, half);
    *b = sub(*b, half);
}

static void strain(cloth *c)
{
    const long n = (long)c->side;

    /* OMP: parallel for schedule(static) */
    for (long row = 0; row < n; row++) {
        vec3 *first = c->next + row * n, *p;
        for (p = first; p < first + n - 1; p++)
            limit(p, p + 1);
        for (; p > first; p--)
            limit(p - 1, p);
    }
    /* OMP: parallel for schedule(static) */
    for (long col = n - 1; col >= 0; col--) {
        vec3 *p = c->next + col;
        for (long i = 0; i < n - 1; i++, p += n)
            limit(p, p + n);
    }
}

static inline unsigned hash(long x, long y, long z)
{
    return ((unsigned)x * 73856093u ^ (unsigned)y * 19349663u ^ (unsigned)z * 83492791u) % HASHSIZE;
}

static inline long cell(double v) { return lrint(floor(v / CELL)); }

static void fill_grid(hashgrid *h, const vec3 *p, size_t count)
{
    memset(h->start, 0, (HASHSIZE + 1) * sizeof *h->start);
    for (size_t i = 0; i < count; i++) {
        h->bucket[i] = hash(cell(p[i].x), cell(p[i].y), cell(p[i].z));
        h->start[h->bucket[i]]++;
    }
    for (unsigned b = 1; b <= HASHSIZE; b++)
        h->start[b] += h->start[b - 1];
    for (size_t i = count; i-- > 0; )
        h->slot[--h->start[h->bucket[i]]] = (unsigned)i;
}

/* mean correction that keeps a particle clear of all others near it */
static int avoid(const hashgrid *h, const vec3 *p, unsigned me, unsigned side, vec3 *out)
{
    vec3 sum = v3(0, 0, 0);
    long cx = cell(p[me].x), cy = cell(p[me].y), cz = cell(p[me].z);
    int hits = 0;

    for (int o = 0; o < 27; o++) {
        unsigned b = hash(cx + o % 3 - 1, cy + o / 3 % 3 - 1, cz + o / 9 - 1);
        for (unsigned k = h->start[b]; k < h->start[b + 1]; k++) {
            unsigned other = h->slot[k];
            vec3 d = sub(p[me], p[other]);
            double q = dot(d, d);
            int di = abs((int)(me / side) - (int)(other / side));
            int dj = abs((int)(me % side) - (int)(other % side));
            if (q >= THICK * THICK || q == 0.0 || (di <= 1 && dj <= 1))
                continue;
            sum = axpy(0.5 * (THICK / sqrt(q) - 1.0), d, sum);
            hits++;
        }
    }
    *out = hits ? mul(sum, 1.0 / hits) : sum;
    return hits;
}

static void contacts(struct scene *s)
{
    cloth *c = &s->c;
    unsigned long touches = 0, folds = 0;

    fill_grid(&s->h, c->next, c->count);
    /* OMP: parallel for schedule(dynamic,128) reduction(+:folds) */
    for (unsigned i = 0; i < c->count; i++)
        folds += avoid(&s->h, c->next, i, (unsigned)c->side, &c->push[i]) > 0;

    /* OMP: parallel for reduction(+:touches) */
    for (size_t i = 0; i < c->count; i++) {
        vec3 p = add(c->next[i], c->push[i]);
        int hit = 0;
        for (const ball *b = s->balls; b < s->balls + NBALLS; b++) {
            vec3 d = sub(p, b->now);
            double q = dot(d, d), r = b->radius + 0.5 * THICK;
            if (q < r * r) {
                p = axpy(r / sqrt(q), d, b->now);
                hit = 1;
            }
        }
        if (p.z < 0.5 * THICK) {
            p.z = 0.5 * THICK;
            hit = 1;
        }
        touches += hit;
        c->next[i] = axpy(hit ? 0.3 : 0.0, sub(c->pos[i], p), p);    /* friction */
    }
    s->touches += touches;
    s->folds += folds;
}

static void rotate(cloth *c)
{
    vec3 *spare = c->old;
    c->old = c->pos;
    c->pos = c->next;
    c->next = spare;
}

static void report(const struct scene *s, unsigned long step)
{
    const cloth *c = &s->c;
    double ke = 0.0, low = 1e9;
    vec3 mean = v3(0, 0, 0);

    for (size_t i = 0; i < c->count; i++) {
        vec3 v = mul(sub(c->pos[i], c->old[i]), 1.0 / s->dt);
        ke += 0.5 * dot(v, v);
        mean = add(mean, c->pos[i]);
        low = fmin(low, c->pos[i].z);
    }
    mean = mul(mean, 1.0 / (double)c->count);
    printf("step %3lu  ke %.4g  centre %.4f %.4f %.4f  lowest %.4f\n",
           step, ke / (double)c->count, mean.x, mean.y, mean.z, low);
}

int main(int argc, char **argv)
{
    struct scene s;
    size_t side = argc > 1 ? strtoul(argv[1], NULL, 10) : 80;
    unsigned long steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 60;

    if (side < 4 || side > 2000)
        return fputs("drape: side must be 4 to 2000\n", stderr), 2;
    memset(&s, 0, sizeof s);
    build(&s, side);
    for (unsigned long n = 1; n <= steps; n++) {
        s.time = (double)n * s.dt;
        move_balls(&s);
        predict(&s);
        for (int k = 0; k < SWEEPS; k++)
            strain(&s.c);
        contacts(&s);
        rotate(&s.c);
        if (n % 20 == 0)
            report(&s, n);
    }
    printf("ball and floor contacts %lu, fold contacts %lu\n", s.touches, s.folds);
    free(s.c.pos); free(s.c.old); free(s.c.next); free(s.c.push);
    free(s.h.start); free(s.h.slot); free(s.h.bucket);
    return 0;
}
