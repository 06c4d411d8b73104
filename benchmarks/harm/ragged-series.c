/* Time series of different lengths in one buffer, each smoothed and scaled in place.  With a third word, series overlap. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct { uint32_t offset, length; float level; } series_t;
typedef struct { size_t count; series_t *series; float *data; } store_t;

static void smooth_all(store_t *store, float rate)
{
    for (size_t s = 0; s < store->count; ++s) {
        series_t *one = &store->series[s];
        float level = one->level;
        for (uint32_t k = 0; k < one->length; ++k) {
            float *x = &store->data[one->offset + k];
            level += rate * (*x - level);
            *x = sqrtf(fabsf(*x - level) + 1.0f);
        }
        one->level = level;
    }
}

static store_t store_make(size_t count, int overlap)
{
    store_t store = { count, malloc(count * sizeof(series_t)), NULL };
    uint32_t end = 0;
    for (size_t s = 0; s < count; ++s) {
        uint32_t length = (uint32_t)(s * 37 % 91);
        store.series[s] = (series_t){ end, length, 0.5f };
        end += length + (uint32_t)(s % 3);
    }
    if (overlap)
        for (size_t s = 9; s < count; s += 50)
            store.series[s].offset -= store.series[s].offset > 20 ? 20 : 0;
    store.data = malloc((end + 1) * sizeof(float));
    for (uint32_t k = 0; k <= end; ++k)
        store.data[k] = (float)(k % 23) / 7;
    return store;
}

int main(int argc, char *argv[])
{
    size_t count = argc > 1 ? (size_t)atol(argv[1]) : 12000;
    int times = argc > 2 ? atoi(argv[2]) : 25;
    store_t store = store_make(count, argc > 3);
    struct timespec from, to;
    double check = 0;

    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int t = 0; t < times; ++t)
        smooth_all(&store, 0.1f + (float)t / 100);
    clock_gettime(CLOCK_MONOTONIC, &to);
    for (size_t s = 0; s < count; ++s)
        check += store.series[s].level * (double)(1 + s % 5);
    printf("%.6e\n", check);
    fprintf(stderr, "%.6f\n", (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
    return 0;
}
