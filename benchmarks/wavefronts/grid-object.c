/* Successive over-relaxation on a grid in a structure, by functions that get and set its points. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct grid {
    int width, height;
    float *value, *source;
} grid;

static grid *grid_new(int width, int height)
{
    grid *g = malloc(sizeof *g);
    g->width = width, g->height = height;
    g->value = calloc((size_t)width * height, sizeof *g->value);
    g->source = calloc((size_t)width * height, sizeof *g->source);
    return g;
}

static inline float at(const grid *g, int x, int y) { return g->value[y * g->width + x]; }
static inline void put(grid *g, int x, int y, float v) { g->value[y * g->width + x] = v; }
static inline float source_at(const grid *g, int x, int y) { return g->source[y * g->width + x]; }

static float relax(grid *g, float omega)
{
    float worst = 0;
    for (int y = 1; y < g->height - 1; y++)
        for (int x = 1; x < g->width - 1; x++) {
            float around = at(g, x - 1, y) + at(g, x + 1, y) + at(g, x, y - 1) + at(g, x, y + 1);
            float move = omega * (0.25f * (around + source_at(g, x, y)) - at(g, x, y));
            put(g, x, y, at(g, x, y) + move);
            if (fabsf(move) > worst)
                worst = fabsf(move);
        }
    return worst;
}

int main(int argc, char **argv)
{
    int most = argc > 1 ? atoi(argv[1]) : 40, steps = 0;
    grid *g = grid_new(1800, 1500);
    for (int y = 0; y < g->height; y++)
        for (int x = 0; x < g->width; x++)
            g->source[y * g->width + x] = (x * 3 + y * 5) % 11 * 0.01f;
    float worst = 1;
    while (worst > 1e-7f && steps < most) {
        worst = relax(g, 1.4f);
        steps++;
    }
    printf("%d %.7g %.7g\n", steps, worst, at(g, g->width / 2, g->height / 3));
    free(g->value), free(g->source), free(g);
    return 0;
}
