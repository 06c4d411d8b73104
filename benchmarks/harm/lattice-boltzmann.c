/* Flow past an obstacle: nine populations per cell, in arrays at file scope. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define Q    9
#define MAXX 400
#define MAXY 200

static int nx = 240, ny = 80;
static float f[2][Q][MAXY][MAXX];
static unsigned char solid[MAXY][MAXX];
static const int cx[Q] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
static const int cy[Q] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
static const int opposite[Q] = { 0, 3, 4, 1, 2, 7, 8, 5, 6 };
static const float w[Q] = { 4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f };

static float equilibrium (int q, float rho, float ux, float uy)
{
    float cu = 3 * (cx[q] * ux + cy[q] * uy);
    return w[q] * rho * (1 + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
}

static void init (void)
{
    int x, y, q;

    for (y = 0; y < ny; y++)
        for (x = 0; x < nx; x++) {
            int dx = x - nx / 4, dy = y - ny / 2;
            solid[y][x] = y == 0 || y == ny - 1 || dx * dx + dy * dy < ny * ny / 80;
            for (q = 0; q < Q; q++)
                f[0][q][y][x] = f[1][q][y][x] = equilibrium (q, 1.f, 0.08f, 0.f);
        }
}

static void collide (int now)
{
    int x, y, q;

    for (y = 0; y < ny; y++)
        for (x = 0; x < nx; x++) {
            float rho = 0, ux = 0, uy = 0;
            if (solid[y][x])
                continue;
            for (q = 0; q < Q; q++) {
                rho += f[now][q][y][x];
                ux += cx[q] * f[now][q][y][x];
                uy += cy[q] * f[now][q][y][x];
            }
            ux = ux / rho + 1e-5f;
            uy /= rho;
            for (q = 0; q < Q; q++)
                f[now][q][y][x] += 1.2f * (equilibrium (q, rho, ux, uy) - f[now][q][y][x]);
        }
}

static void stream (int now)
{
    int x, y, q;

    for (q = 0; q < Q; q++)
        for (y = 0; y < ny; y++)
            for (x = 0; x < nx; x++) {
                int fromx = (x - cx[q] + nx) % nx, fromy = (y - cy[q] + ny) % ny;
                if (solid[fromy][fromx])
                    f[!now][q][y][x] = f[now][opposite[q]][y][x];
                else
                    f[!now][q][y][x] = f[now][q][fromy][fromx];
            }
}

int main (int argc, char **argv)
{
    int steps = argc > 2 ? atoi (argv[2]) : 160, s, now = 0, x, y, q;
    double mass = 0, flow = 0;
    struct timespec t0, t1;

    if (argc > 1)
        ny = atoi (argv[1]) < MAXY ? atoi (argv[1]) : MAXY;
    nx = 3 * ny < MAXX ? 3 * ny : MAXX;
    init ();
    clock_gettime (CLOCK_MONOTONIC, &t0);
    for (s = 0; s < steps; s++) {
        collide (now);
        stream (now);
        now = !now;
    }
    clock_gettime (CLOCK_MONOTONIC, &t1);
    for (y = 0; y < ny; y++)
        for (x = 0; x < nx; x++)
            for (q = 0; q < Q; q++)
                if (!solid[y][x]) {
                    mass += f[now][q][y][x];
                    flow += (2 + cx[q]) * f[now][q][y][x];
                }
    printf ("%.4e %.4e\n", mass, flow);
    fprintf (stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
    return 0;
}
