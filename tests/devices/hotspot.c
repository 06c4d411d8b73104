/* Heat of a chip: every cell takes from its neighbours and from the power that is put into it; borders count twice. */
#include <stdio.h>
#include <stdlib.h>
#ifndef N
#define N 61
#endif
#ifndef STEPS
#define STEPS 6
#endif

static void step(const float *temp, float *next, const float *power)
{
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            float up = temp[(y > 0 ? y - 1 : y) * N + x], down = temp[(y < N - 1 ? y + 1 : y) * N + x];
            float left = temp[y * N + (x > 0 ? x - 1 : x)], right = temp[y * N + (x < N - 1 ? x + 1 : x)];
            float own = temp[y * N + x];
            next[y * N + x] = own + 0.2f * (up + down + left + right - 4.0f * own) + 0.05f * power[y * N + x];
        }
}

int main(void)
{
    float *temp = malloc(N * N * sizeof *temp), *next = malloc(N * N * sizeof *next), *power = malloc(N * N * sizeof *power);
    for (int k = 0; k < N * N; k++) {
        temp[k] = 300.0f + k % 13;
        power[k] = k % 7 * 0.5f;
    }
    for (int t = 0; t < STEPS; t++) {
        step(temp, next, power);
        float *swap = temp;
        temp = next;
        next = swap;
    }
    for (int k = 0; k < N * N; k += 97)
        printf("%.9g\n", temp[k]);
    free(temp);
    free(next);
    free(power);
    return 0;
}
