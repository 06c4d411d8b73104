// Windows: moving sums of a price, in memory and in a variable, whose length is a variable or a macro, and the
// blur of a picture, whose radius is a parameter that is always the same.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TAPS 7

static float *series(int n) {
    float *values = calloc(n, sizeof *values);
    if (!values) {
        perror("series");
        exit(1);
    }
    return values;
}

static void smooth(const float *from, float *to, int n) {
    for (int i = TAPS; i < n - TAPS; i++) {
        float sum = 0;
        for (int k = -TAPS; k <= TAPS; k++)
            sum += from[i + k];
        to[i] = sum / (2 * TAPS + 1);
    }
}

static void blur(const float *in, float *out, int w, int h, int radius) {
    for (int y = radius; y < h - radius; y++)
        for (int x = radius; x < w - radius; x++) {
            float sum = 0;
            for (int dy = -radius; dy <= radius; dy++)
                for (int dx = -radius; dx <= radius; dx++)
                    sum += in[(y + dy) * w + x + dx];
            out[y * w + x] = sum / ((2 * radius + 1) * (2 * radius + 1));
        }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
    int side = argc > 1 ? atoi(argv[1]) : 640, n = side * side, half = 8;
    double start = seconds();
    float *price = series(n), *slow = series(n), *fast = calloc(n, sizeof *fast);
    unsigned seed = 3;
    for (int i = 0; i < n; i++) {
        seed = seed * 1103515245u + 12345u;
        price[i] = (i ? price[i - 1] * 0.99f : 100) + (seed >> 20 & 3);
    }
    for (int day = 0; day < 120; day++) {
        for (int i = half; i < n - half; i++)
            for (int k = i - half; k <= i + half; k++)
                slow[i] += price[k] * 0.001f;
        for (int i = 0; i < n - TAPS; i++)
            for (int k = 0; k < TAPS; k++)
                fast[i] += slow[i + k] * 0.01f;
        smooth(fast, slow, n);
        blur(slow, fast, side, side, 2);
        price[day % n] += slow[day % n] * 1e-6f;
    }
    double total = 0;
    for (int i = 0; i < n; i++)
        total += slow[i];
    printf("%.5g %.5g %.5g\n", total, fast[n / 2], price[n / 3]);
    fprintf(stderr, "%.3f\n", seconds() - start);
    return 0;
}
