/* Particles in a doubly linked list, in no order of memory: forces from a table of sources, energies, and steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SOURCES 48

typedef struct particle {
    double pos[3], vel[3], frc[3], energy;
    int kind;
    struct particle *next, *prev;
} particle;

typedef struct {
    particle *first, *last;
    size_t count;
} cloud;

static double source[SOURCES][4];

static void add(cloud *c, particle *p)
{
    p->prev = c->last;
    p->next = NULL;
    if (c->last)
        c->last->next = p;
    else
        c->first = p;
    c->last = p;
    c->count++;
}

static void forces(cloud *c)
{
    for (particle *p = c->first; p != NULL; p = p->next) {
        p->frc[0] = p->frc[1] = p->frc[2] = 0;
        for (int s = 0; s < SOURCES; s++) {
            double d[3], r = 0.01;
            for (int k = 0; k < 3; k++) {
                d[k] = source[s][k] - p->pos[k];
                r += d[k] * d[k];
            }
            double f = source[s][3] / (r * sqrt(r));
            for (int k = 0; k < 3; k++)
                p->frc[k] += f * d[k];
        }
    }
}

static double energy(const cloud *c, int *fast)
{
    double sum = 0;
    const particle *p = c->first;
    *fast = 0;
    while (p) {
        double v = 0;
        for (int k = 0; k < 3; k++)
            v += p->vel[k] * p->vel[k];
        for (int s = 0; s < SOURCES; s++)
            v -= exp(-fabs(p->pos[0] - source[s][0])) * source[s][3] * 1e-3;
        if (v > 1.5)
            (*fast)++;
        sum += v;
        p = p->next;
    }
    return sum;
}

static void step(cloud *c, double dt)
{
    particle *p, *following;
    for (p = c->first; p; p = following) {
        following = p->next;
        for (int k = 0; k < 3; k++) {
            p->vel[k] += dt * p->frc[k];
            p->pos[k] += dt * p->vel[k];
        }
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 12000, steps = argc > 2 ? atoi(argv[2]) : 40, fast = 0;
    particle *pool = calloc(n, sizeof *pool);
    cloud c = {0};
    unsigned r = 1;
    if (!pool)
        return 1;
    for (int s = 0; s < SOURCES; s++)
        for (int k = 0; k < 4; k++)
            source[s][k] = ((r = r * 1664525u + 1013904223u) >> 8) / 16777216.0;
    for (int i = 0; i < n; i++) {
        particle *p = &pool[(long)i * 4817 % n];
        for (int k = 0; k < 3; k++)
            p->pos[k] = ((r = r * 1664525u + 1013904223u) >> 8) / 4194304.0;
        p->kind = i % 3;
        add(&c, p);
    }
    double last = 0;
    for (int t = 0; t < steps; t++) {
        forces(&c);
        last = energy(&c, &fast);
        step(&c, 1e-3);
    }
    printf("%zu %.6f %d %.6f\n", c.count, last, fast, c.last->pos[1]);
    free(pool);
    return 0;
}
