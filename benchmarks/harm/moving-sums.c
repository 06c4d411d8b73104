// Moving sums of a price, added up in memory and in a variable, with a window that is a variable or a macro.
#include <stdio.h>
#include <stdlib.h>

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

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 400000, half = 8;
    float *price = series(n), *slow = series(n), *fast = calloc(n, sizeof *fast);
    unsigned seed = 3;
    for (int i = 0; i < n; i++) {
        seed = seed * 1103515245u + 12345u;
        price[i] = (i ? price[i - 1] * 0.99f : 100) + (seed >> 20 & 3);
    }
    for (int day = 0; day < 250; day++) {
        for (int i = half; i < n - half; i++)
            for (int k = i - half; k <= i + half; k++)
                slow[i] += price[k] * 0.001f;
        for (int i = 0; i < n - TAPS; i++)
            for (int k = 0; k < TAPS; k++)
                fast[i] += slow[i + k] * 0.01f;
        smooth(fast, slow, n);
        price[day] += slow[day + 20] * 1e-6f;
    }
    double total = 0;
    for (int i = 0; i < n; i++)
        total += slow[i];
    printf("%.5g %.5g %.5g\n", total, fast[n / 2], price[100]);
    return 0;
}
