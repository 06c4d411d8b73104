/* Pixels come from a function that is passed; numbers are fixed-point, so that every machine draws the same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SHIFT 24
#define FIXED(x) ((int64_t)((x) * (1 << SHIFT)))

typedef int64_t fixed;
typedef struct View { fixed left, top, step; int limit; } View;
typedef int (*Shader)(const View *view, int x, int y);

static fixed mul(fixed a, fixed b)
{
    return (a * b) >> SHIFT;
}

static int mandelbrot(const View *view, int x, int y)
{
    fixed cr = view->left + x * view->step, ci = view->top + y * view->step, zr = 0, zi = 0;
    int n = 0;

    while (n < view->limit)
    {
        fixed r2 = mul(zr, zr), i2 = mul(zi, zi);
        if (r2 + i2 > FIXED(4))
            break;
        zi = 2 * mul(zr, zi) + ci;
        zr = r2 - i2 + cr;
        n++;
    }
    return n;
}

static int julia(const View *view, int x, int y)
{
    fixed zr = view->left + x * view->step, zi = view->top + y * view->step;
    int n;

    for (n = 0; n < view->limit; n++)
    {
        fixed r2 = mul(zr, zr), i2 = mul(zi, zi);
        if (r2 + i2 > FIXED(4))
            break;
        zi = 2 * mul(zr, zi) + FIXED(0.27);
        zr = r2 - i2 - FIXED(0.77);
    }
    return n;
}

static void draw(unsigned short *picture, int width, int height, const View *view, Shader shade)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            picture[y * width + x] = (unsigned short)shade(view, x, y);
}

static long weigh(const unsigned short *picture, int width, int height)
{
    long sum = 0;
    for (int i = 0; i < width * height; i++)
        sum += picture[i] * (1 + i % 3);
    return sum;
}

int main(int argc, char **argv)
{
    static const Shader shaders[] = { mandelbrot, julia };
    int height = argc > 1 ? atoi(argv[1]) : 160, width = height + height / 2, frames = argc > 2 ? atoi(argv[2]) : 70;
    unsigned short *picture = malloc(sizeof *picture * width * height);
    struct timespec t0, t1;
    long sum = 0;

    clock_gettime(CLOCK_MONOTONIC, &t0);
    for (int f = 0; f < frames; f++)
    {
        View view = { FIXED(-2.1) + f * FIXED(0.01), FIXED(-1.2), FIXED(2.4) / height, 120 };
        draw(picture, width, height, &view, shaders[f % 2]);
        sum += weigh(picture, width, height);
    }
    clock_gettime(CLOCK_MONOTONIC, &t1);
    printf("%ld\n", sum);
    fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
    free(picture);
    return 0;
}
