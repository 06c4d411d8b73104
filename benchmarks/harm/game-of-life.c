/* Conway's Game of Life on a torus; two boards that change places. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef unsigned char cell;

struct world {
    int w, h;
    cell *now, *next;
};

static int wrap(int i, int n)
{
    if (i < 0) return i + n;
    if (i >= n) return i - n;
    return i;
}

static int neighbours(const struct world *world, int x, int y)
{
    int dx, dy, count = 0;
    for (dy = -1; dy <= 1; dy++)
        for (dx = -1; dx <= 1; dx++)
            if (dx || dy)
                count += world->now[wrap(y + dy, world->h) * world->w + wrap(x + dx, world->w)];
    return count;
}

static void generation(struct world *world)
{
    int x, y;
    cell *tmp;
    for (y = 0; y < world->h; y++)
        for (x = 0; x < world->w; x++) {
            int n = neighbours(world, x, y);
            world->next[y * world->w + x] = n == 3 || (n == 2 && world->now[y * world->w + x]);
        }
    tmp = world->now;
    world->now = world->next;
    world->next = tmp;
}

static long population(const struct world *world)
{
    long alive = 0;
    int i;
    for (i = 0; i < world->w * world->h; i++)
        alive += world->now[i];
    return alive;
}

static void scatter(struct world *world, unsigned seed)
{
    int i;
    for (i = 0; i < world->w * world->h; i++) {
        seed = seed * 1103515245u + 12345u;
        world->now[i] = (seed >> 16) % 3 == 0;
    }
}

int main(int argc, char *argv[])
{
    struct world world;
    int generations, g;
    long total = 0;
    struct timespec t0, t1;

    world.h = argc > 1 ? atoi(argv[1]) : 300;
    world.w = world.h + 21;
    generations = argc > 2 ? atoi(argv[2]) : 220;
    world.now = malloc((size_t)world.w * world.h);
    world.next = malloc((size_t)world.w * world.h);
    if (!world.now || !world.next) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    scatter(&world, 42);
    clock_gettime(CLOCK_MONOTONIC, &t0);
    for (g = 0; g < generations; g++) {
        generation(&world);
        total += population(&world);
    }
    clock_gettime(CLOCK_MONOTONIC, &t1);
    printf("%ld\n", total);
    fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
    return 0;
}
