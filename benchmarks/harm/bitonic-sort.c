/* Batches of keys sorted by a bitonic network. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void exchange(int *key, size_t i, size_t j, int up)
{
    if ((key[i] > key[j]) == up) {
        int t = key[i];
        key[i] = key[j];
        key[j] = t;
    }
}

static void bitonic(int *key, size_t n)
{
    for (size_t k = 2; k <= n; k <<= 1)
        for (size_t j = k >> 1; j > 0; j >>= 1)
            for (size_t i = 0; i < n; i++) {
                size_t l = i ^ j;
                if (l > i)
                    exchange(key, i, l, (i & k) == 0);
            }
}

static int sorted(const int *key, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (key[i - 1] > key[i])
            return 0;
    return 1;
}

static unsigned long long digest(const int *key, size_t n)
{
    unsigned long long h = 1469598103934665603ull;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned)key[i]) * 1099511628211ull;
    return h;
}

static void shuffle(int *key, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        key[i] = (int)(seed >> 4);
    }
}

int main(int argc, char **argv)
{
    size_t asked = argc > 1 ? strtoul(argv[1], NULL, 10) : 16384, n = 2;
    int batches = argc > 2 ? atoi(argv[2]) : 28, good = 0;
    unsigned long long h = 0;
    int *key;
    struct timespec t0, t1;

    while (n * 2 <= asked)
        n *= 2;
    key = malloc(n * sizeof *key);
    if (key == NULL)
        return 1;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    for (int b = 0; b < batches; b++) {
        shuffle(key, n, (unsigned)b);
        bitonic(key, n);
        good += sorted(key, n);
        h ^= digest(key, n);
    }
    clock_gettime(CLOCK_MONOTONIC, &t1);
    printf("%d sorted, %016llx\n", good, h);
    fprintf(stderr, "%.6f\n", (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec));
    free(key);
    return 0;
}
