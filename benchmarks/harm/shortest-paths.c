/* All shortest paths of a dense graph, with the next node of each, in a matrix of structures. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct { int length; int via; } Hop;

typedef struct {
    int   nodes;
    Hop  *hops;
} Routes;

#define HOP(routes, from, to)  ((routes)->hops[(from) * (routes)->nodes + (to)])
#define FAR                    1000000

static void fill(Routes *r, int seed)
{
    for (int i = 0; i < r->nodes; i++) {
        for (int j = 0; j < r->nodes; j++) {
            int roll = (i * 131 + j * 71 + i * j + seed) % 97;
            HOP(r, i, j).length = i == j ? 0 : roll < 20 ? 1 + roll * 3 : FAR;
            HOP(r, i, j).via = -1;
        }
    }
}

static void relax(Routes *r)
{
    for (int k = 0; k < r->nodes; k++) {
        for (int i = 0; i < r->nodes; i++) {
            int first = HOP(r, i, k).length;
            if (first >= FAR) {
                continue;
            }
            for (int j = 0; j < r->nodes; j++) {
                int length = first + HOP(r, k, j).length;
                if (length < HOP(r, i, j).length) {
                    HOP(r, i, j).length = length;
                    HOP(r, i, j).via = k;
                }
            }
        }
    }
}

static int walk(const Routes *r, int from, int to)
{
    int via = HOP(r, from, to).via;
    if (via < 0) {
        return 1;
    }
    return walk(r, from, via) + walk(r, via, to);
}

int main(int argc, char **argv)
{
    Routes r;
    int times = argc > 2 ? atoi(argv[2]) : 16;
    long total = 0, steps = 0;
    struct timespec t0, t1;

    r.nodes = argc > 1 ? atoi(argv[1]) : 240;
    r.hops = malloc(sizeof(Hop) * r.nodes * r.nodes);
    clock_gettime(CLOCK_MONOTONIC, &t0);
    for (int t = 0; t < times; t++) {
        fill(&r, t);
        relax(&r);
        for (int i = 0; i < r.nodes; i++) {
            total += HOP(&r, i, (i * 7 + 3) % r.nodes).length;
            steps += walk(&r, i, (i * 7 + 3) % r.nodes);
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &t1);
    printf("%ld %ld\n", total, steps);
    fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
    free(r.hops);
    return 0;
}
