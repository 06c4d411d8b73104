/* Heat in a body, with a swap of pointers after every step, until it hardly changes. */
#include <stdio.h>
#include <stdlib.h>
#ifndef N
#define N 20
#endif
#define AT(a, z, y, x) a[((z) * N + (y)) * N + (x)]

int main(void)
{
    double *now = malloc(N * N * N * sizeof *now), *next = malloc(N * N * N * sizeof *next), change = 1;
    int steps = 0;
    for (int k = 0; k < N * N * N; k++)
        now[k] = next[k] = k % 29 == 0 ? 100 : 20;
    while (change > 1e-3 && steps < 12) {
        change = 0;
        for (int z = 1; z < N - 1; z++)
            for (int y = 1; y < N - 1; y++)
                for (int x = 1; x < N - 1; x++)
                    AT(next, z, y, x) = AT(now, z, y, x) + 0.1 * (AT(now, z - 1, y, x) + AT(now, z + 1, y, x) + AT(now, z, y - 1, x) +
                        AT(now, z, y + 1, x) + AT(now, z, y, x - 1) + AT(now, z, y, x + 1) - 6 * AT(now, z, y, x));
        for (int k = 0; k < N * N * N; k++) {
            double d = now[k] > next[k] ? now[k] - next[k] : next[k] - now[k];
            if (d > change)
                change = d;
        }
        double *swap = now;
        now = next;
        next = swap;
        steps++;
    }
    printf("%d %.12g\n", steps, change);
    for (int k = 0; k < N * N * N; k += 777)
        printf("%.12g\n", now[k]);
    free(now);
    free(next);
    return 0;
}
