/* sphtank.c - 2-D dam break, weakly compressible SPH with a sorted cell grid,
 * plus a spring rope floating in it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

typedef struct { double x, y; } vec2;

typedef struct {
    int     n, gx, gy;
    double  h, mass, rho0, c0, dt;
    double  width, height;
    vec2   *pos, *vel, *acc;
    double *rho, *prs;
    int    *start;        /* gx*gy+1 */
    int    *order, *cell;
} sph;

typedef struct { vec2 p, v, f; } node;
typedef struct { int a, b; double rest, k; } spring;
typedef struct { node *nodes; spring *sp; int nn, ns; } rope;

static unsigned seed = 1u;
static double jitter(void)
{
    seed = seed * 69069u + 1u;
    return ((seed >> 9) & 0xffff) / 65536.0 - 0.5;
}

static int sph_init(sph *s, int nx, int ny)
{
    double dx = 0.01;
    s->n = nx * ny;
    s->h = 2.2 * dx; s->rho0 = 1000; s->mass = s->rho0 * dx * dx;
    s->c0 = 30; s->dt = 1.5e-4;
    s->width = 2.5 * nx * dx; s->height = 2.0 * ny * dx;
    s->gx = (int)(s->width / s->h) + 1;
    s->gy = (int)(s->height / s->h) + 1;
    s->pos = malloc(s->n * sizeof(vec2));
    s->vel = calloc(s->n, sizeof(vec2));
    s->acc = malloc(s->n * sizeof(vec2));
    s->rho = malloc(s->n * sizeof(double));
    s->prs = malloc(s->n * sizeof(double));
    s->order = malloc(s->n * sizeof(int));
    s->cell = malloc(s->n * sizeof(int));
    s->start = malloc((s->gx * s->gy + 1) * sizeof(int));
    for (int j = 0, i = 0; j < ny; j++)
        for (int k = 0; k < nx; k++, i++) {
            s->pos[i].x = (k + 0.5) * dx + 0.05 * dx * jitter();
            s->pos[i].y = (j + 0.5) * dx + 0.05 * dx * jitter();
        }
    return s->start ? 0 : -1;
}

static void build_cells(sph *s)
{
    int ncell = s->gx * s->gy;
    memset(s->start, 0, (ncell + 1) * sizeof(int));
    for (int i = 0; i < s->n; i++) {
        int cx = (int)(s->pos[i].x / s->h), cy = (int)(s->pos[i].y / s->h);
        if (cx < 0) cx = 0;
        if (cy < 0) cy = 0;
        if (cx >= s->gx) cx = s->gx - 1;
        if (cy >= s->gy) cy = s->gy - 1;
        s->cell[i] = cy * s->gx + cx;
        s->start[s->cell[i] + 1]++;
    }
    for (int c = 0; c < ncell; c++) s->start[c + 1] += s->start[c];
    for (int i = s->n - 1; i >= 0; i--)
        s->order[--s->start[s->cell[i] + 1]] = i;
    /* start[c+1] now holds the first slot of cell c; shift down */
    memmove(s->start, s->start + 1, ncell * sizeof(int));
    s->start[ncell] = s->n;
}

#define FOR_NEIGHBOURS(s, i, j)                                                    \
    for (int cy_ = (s)->cell[i] / (s)->gx - 1; cy_ <= (s)->cell[i] / (s)->gx + 1; cy_++) \
    for (int cx_ = (s)->cell[i] % (s)->gx - 1; cx_ <= (s)->cell[i] % (s)->gx + 1; cx_++) \
        if (cx_ >= 0 && cy_ >= 0 && cx_ < (s)->gx && cy_ < (s)->gy)                \
            for (int q_ = (s)->start[cy_ * (s)->gx + cx_], j;                      \
                 q_ < (s)->start[cy_ * (s)->gx + cx_ + 1] && ((j = (s)->order[q_]), 1); q_++)

static void density(sph *s)
{
    const double h2 = s->h * s->h, k = 4 / (M_PI * pow(s->h, 8));
    /* OMP: parallel for schedule(static) */
    for (int i = 0; i < s->n; i++) {
        double sum = 0;
        FOR_NEIGHBOURS(s, i, j) {
            double dx = s->pos[i].x - s->pos[j].x, dy = s->pos[i].y - s->pos[j].y;
            double w = h2 - dx * dx - dy * dy;
            if (w > 0) sum += w * w * w;
        }
        s->rho[i] = s->mass * k * sum;
        double p = s->c0 * s->c0 * (s->rho[i] - s->rho0);
        s->prs[i] = p > 0 ? p : 0;
    }
}

static void forces(sph *s)
{
    const double h = s->h, kg = 30 / (M_PI * pow(h, 5)), kv = 40 / (M_PI * pow(h, 5)), mu = 2.0;
    /* OMP: parallel for schedule(static) */
    for (int i = 0; i < s->n; i++) {
        vec2 f = { 0, -9.81 };
        FOR_NEIGHBOURS(s, i, j) {
            if (j == i) continue;
            double dx = s->pos[i].x - s->pos[j].x, dy = s->pos[i].y - s->pos[j].y;
            double r2 = dx * dx + dy * dy;
            if (r2 >= h * h || r2 < 1e-12) continue;
            double r = sqrt(r2), m = s->mass / (s->rho[i] * s->rho[j]);
            double g = m * kg * 0.5 * (s->prs[i] + s->prs[j]) * (h - r) * (h - r) / r;
            double v = m * kv * mu * (h - r);
            f.x += g * dx + v * (s->vel[j].x - s->vel[i].x);
            f.y += g * dy + v * (s->vel[j].y - s->vel[i].y);
        }
        s->acc[i] = f;
    }
}

static void integrate(sph *s)
{
    for (int i = 0; i < s->n; i++) {
        vec2 *p = &s->pos[i], *v = &s->vel[i];
        v->x += s->dt * s->acc[i].x;
        v->y += s->dt * s->acc[i].y;
        p->x += s->dt * v->x;
        p->y += s->dt * v->y;
        if (p->x < 0) { p->x = 0; v->x *= -0.3; }
        if (p->y < 0) { p->y = 0; v->y *= -0.3; }
        if (p->x > s->width) { p->x = s->width; v->x *= -0.3; }
    }
}

static void rope_init(rope *r, int n, double x0, double y0)
{
    r->nn = n; r->ns = 2 * n - 3;
    r->nodes = calloc(n, sizeof(node));
    r->sp = malloc(r->ns * sizeof(spring));
    for (int i = 0; i < n; i++) { r->nodes[i].p.x = x0 + 0.01 * i; r->nodes[i].p.y = y0; }
    for (int i = 0, k = 0; i < n; i++) {
        if (i + 1 < n) r->sp[k++] = (spring){ i, i + 1, 0.01, 90000 };
        if (i + 2 < n) r->sp[k++] = (spring){ i, i + 2, 0.02, 20000 };
    }
}

static void rope_step(rope *r, double dt)
{
    for (int i = 0; i < r->nn; i++)
        r->nodes[i].f = (vec2){ -0.8 * r->nodes[i].v.x, -9.81 - 0.8 * r->nodes[i].v.y };
    for (const spring *s = r->sp; s < r->sp + r->ns; s++) {
        node *a = &r->nodes[s->a], *b = &r->nodes[s->b];
        double dx = b->p.x - a->p.x, dy = b->p.y - a->p.y, l = sqrt(dx * dx + dy * dy);
        double t = s->k * (l - s->rest) / (l + 1e-9);
        a->f.x += t * dx; a->f.y += t * dy;
        b->f.x -= t * dx; b->f.y -= t * dy;
    }
    for (int i = 1; i < r->nn - 1; i++) {
        node *n = &r->nodes[i];
        n->v.x += dt * n->f.x; n->v.y += dt * n->f.y;
        n->p.x += dt * n->v.x; n->p.y += dt * n->v.y;
    }
}

int main(void)
{
    static sph s;
    rope r;
    if (sph_init(&s, 70, 90)) return 1;
    rope_init(&r, 120, 0.1, 1.2);
    for (int step = 0; step < 150; step++) {
        build_cells(&s);
        density(&s);
        forces(&s);
        integrate(&s);
        for (int k = 0; k < 10; k++) rope_step(&r, 1e-3);
    }
    double ke = 0, pe = 0, rmax = 0;
    for (int i = 0; i < s.n; i++) {
        ke += 0.5 * s.mass * (s.vel[i].x * s.vel[i].x + s.vel[i].y * s.vel[i].y);
        pe += s.mass * 9.81 * s.pos[i].y;
        if (s.rho[i] > rmax) rmax = s.rho[i];
    }
    printf("ke %.4g pe %.5g rho max %.4g\n", ke, pe, rmax);
    printf("rope mid %.4f %.4f\n", r.nodes[60].p.x, r.nodes[60].p.y);
    free(s.pos); free(s.vel); free(s.acc); free(s.rho); free(s.prs);
    free(s.order); free(s.cell); free(s.start); free(r.nodes); free(r.sp);
    return 0;
}
