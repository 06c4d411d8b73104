/* Iterations that read the same cells: columns of a matrix times a vector, distances, weights, broadcasts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 70
#define WEIGHT weights[j]

static double A[MOST][MOST], B[MOST][MOST], x[MOST], y[MOST], z[MOST], u[MOST], v[MOST];
static float px[MOST], py[MOST], qx[MOST], qy[MOST], force[MOST], weights[MOST];
static int I[MOST][MOST], offset[MOST], label[MOST];

/* the vector is read by all columns */
static void columns(int n, int m)
{
    for (int j = 0; j < n; j++) {
        y[j] = 0;
        for (int i = 0; i < m; i++)
            y[j] += A[i][j] * x[i];
    }
}

static void update(int n, int m)
{
    int i, j;
    for (j = 1; j < n; j++)
        for (i = m - 1; i >= 1; i -= 2)
            z[j] = z[j] + A[i][j] * x[i] - B[i - 1][j] * x[i - 1];
}

/* every point with every other; what is summed up passes from statement to statement */
static void forces(int n)
{
    for (int i = 0; i < n; i++) {
        float sum = 0, least = 1e30f;
        const float own_x = px[i], own_y = py[i];
        for (int j = 0; j < n; j++) {
            const float dx = qx[j] - own_x, dy = qy[j] - own_y;
            float r = dx * dx + dy * dy + 0.25f;
            if (r < least)
                least = r;
            sum += dx / (r * sqrtf(r)) * WEIGHT;
        }
        force[i] = sum + least;
    }
}

static void broadcast(int n, int m)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            B[i][j] = A[i][j] + x[i] * u[j] + y[i] * v[j] + u[j] * v[j];
}

/* backwards, every third, whole numbers, and an early end */
static void whole(int n, int m)
{
    for (int i = n - 1; i >= 2; i -= 3)
        for (int j = 0; j < m; j++) {
            I[i][j] += offset[j] - offset[j + 1];
            if (I[i][j] % 5 == 0)
                continue;
            I[i][j] = I[i][j] * 3 + offset[j];
        }
}

/* two sums, one loop after the other, a condition, and loops of one iteration alone */
static void nearest(int n, int m, int k)
{
    for (int i = 0; i < n; i++) {
        double best = 1e300, second = 1e300;
        int at = -1;
        for (int c = 0; c < k; c++) {
            double d = 0;
            for (int j = 0; j < m; j++)
                d += (A[j][i] - B[c][j]) * (A[j][i] - B[c][j]);
            if (d < best) {
                second = best;
                best = d;
                at = c;
            } else if (d < second)
                second = d;
        }
        int steps = 0;
        while (steps < at && steps < 4)
            steps++;
        label[i] = at + steps;
        for (int j = 0; j < m; j++)
            best += x[j] * i;
        z[i] = best + second;
    }
}

static void show(const char *name, const void *cells, size_t bytes)
{
    unsigned long hash = 14695981039346656037ul;
    for (size_t at = 0; at < bytes; at++)
        hash = (hash ^ ((const unsigned char *)cells)[at]) * 1099511628211ul;
    printf("%s %016lx\n", name, hash);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 33, m = argc > 2 ? atoi(argv[2]) : 17;
    for (int i = 0; i < MOST; i++) {
        for (int j = 0; j < MOST; j++) {
            A[i][j] = (i * 7 + j * 3) % 31 * 0.37 - 4;
            B[i][j] = (i * 5 + j * 11) % 29 * 0.21 - 3;
            I[i][j] = (i * 13 + j) % 17;
        }
        x[i] = i % 9 - 4.1;
        u[i] = i % 7 * 0.3;
        v[i] = i % 5 - 0.7;
        z[i] = y[i] = i;
        px[i] = i % 6 * 0.6f;
        py[i] = i % 8 * 0.7f;
        qx[i] = i % 11 * 0.1f;
        qy[i] = i % 13 * 0.2f;
        weights[i] = i % 3 + 0.5f;
        offset[i] = i * 3 % 8;
    }
    columns(n, m);
    show("y", y, sizeof y);
    update(n, m);
    show("z", z, sizeof z);
    forces(n);
    show("force", force, sizeof force);
    broadcast(n, m);
    show("B", B, sizeof B);
    whole(n, m);
    show("I", I, sizeof I);
    nearest(n, m, 3);
    show("z", z, sizeof z);
    show("label", label, sizeof label);
    return 0;
}
