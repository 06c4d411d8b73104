/* Percolation: sites are opened one after the other until top and bottom meet. */
#include <stdio.h>
#include <stdlib.h>
#include <stdbool.h>
#include <time.h>

typedef struct disjoint {
    int *parent;
    int *size;
    int count;
} disjoint;

typedef struct lattice {
    int side;
    bool *open;
    int *order;
    disjoint sets;
} lattice;

static int find(disjoint *d, int i)
{
    while (d->parent[i] != i) {
        d->parent[i] = d->parent[d->parent[i]];
        i = d->parent[i];
    }
    return i;
}

static void unite(disjoint *d, int i, int j)
{
    i = find(d, i);
    j = find(d, j);
    if (i == j)
        return;
    if (d->size[i] < d->size[j]) {
        int t = i;
        i = j;
        j = t;
    }
    d->parent[j] = i;
    d->size[i] += d->size[j];
}

static void reset(lattice *l, unsigned seed)
{
    int n = l->side * l->side;
    for (int i = 0; i < l->sets.count; i++) {
        l->sets.parent[i] = i;
        l->sets.size[i] = 1;
    }
    for (int i = 0; i < n; i++) {
        l->open[i] = false;
        l->order[i] = i;
    }
    for (int i = n - 1; i > 0; i--) {
        seed = seed * 1664525u + 1013904223u;
        int j = (int)((seed >> 8) % (unsigned)(i + 1)), t = l->order[i];
        l->order[i] = l->order[j];
        l->order[j] = t;
    }
}

static void open_site(lattice *l, int i)
{
    int x = i % l->side, y = i / l->side, n = l->side * l->side;
    l->open[i] = true;
    if (x > 0 && l->open[i - 1]) unite(&l->sets, i, i - 1);
    if (x < l->side - 1 && l->open[i + 1]) unite(&l->sets, i, i + 1);
    if (y > 0 && l->open[i - l->side]) unite(&l->sets, i, i - l->side);
    if (y < l->side - 1 && l->open[i + l->side]) unite(&l->sets, i, i + l->side);
    if (y == 0) unite(&l->sets, i, n);
    if (y == l->side - 1) unite(&l->sets, i, n + 1);
}

static int percolate(lattice *l)
{
    int n = l->side * l->side, opened = 0;
    while (find(&l->sets, n) != find(&l->sets, n + 1))
        open_site(l, l->order[opened++]);
    return opened;
}

int main(int argc, char **argv)
{
    lattice l;
    int trials = argc > 2 ? atoi(argv[2]) : 65;
    double sum = 0;
    struct timespec t0, t1;

    l.side = argc > 1 ? atoi(argv[1]) : 250;
    int n = l.side * l.side;
    l.open = malloc(n * sizeof *l.open);
    l.order = malloc(n * sizeof *l.order);
    l.sets.count = n + 2;
    l.sets.parent = malloc((n + 2) * sizeof(int));
    l.sets.size = malloc((n + 2) * sizeof(int));
    clock_gettime(CLOCK_MONOTONIC, &t0);
    for (int t = 0; t < trials; t++) {
        reset(&l, (unsigned)t + 1);
        sum += (double)percolate(&l) / n;
    }
    clock_gettime(CLOCK_MONOTONIC, &t1);
    printf("threshold %.9f\n", sum / trials);
    fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
    return 0;
}
