// Lloyd's algorithm on points in a few dimensions, until no label changes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    size_t n, dim, k;
    double *points;     /* n x dim */
    double *centroids;  /* k x dim */
    int *labels;
    size_t *counts;
} kmeans_t;

static double squared_distance(const double *a, const double *b, size_t dim) {
    double acc = 0.0;
    for (size_t d = 0; d < dim; ++d) {
        double diff = a[d] - b[d];
        acc += diff * diff;
    }
    return acc;
}

static size_t assign_labels(kmeans_t *km) {
    size_t changed = 0;
    for (size_t i = 0; i < km->n; ++i) {
        int best = 0;
        double best_dist = squared_distance(&km->points[i * km->dim], km->centroids, km->dim);
        for (size_t c = 1; c < km->k; ++c) {
            double dist = squared_distance(&km->points[i * km->dim], &km->centroids[c * km->dim], km->dim);
            if (dist < best_dist) {
                best_dist = dist;
                best = (int)c;
            }
        }
        if (km->labels[i] != best) {
            km->labels[i] = best;
            ++changed;
        }
    }
    return changed;
}

static void update_centroids(kmeans_t *km) {
    memset(km->centroids, 0, km->k * km->dim * sizeof(double));
    memset(km->counts, 0, km->k * sizeof(size_t));
    for (size_t i = 0; i < km->n; ++i) {
        int label = km->labels[i];
        km->counts[label]++;
        for (size_t d = 0; d < km->dim; ++d)
            km->centroids[label * km->dim + d] += km->points[i * km->dim + d];
    }
    for (size_t c = 0; c < km->k; ++c) {
        if (km->counts[c] == 0)
            continue;
        for (size_t d = 0; d < km->dim; ++d)
            km->centroids[c * km->dim + d] /= (double)km->counts[c];
    }
}

static void seed_centroids(kmeans_t *km) {
    for (size_t c = 0; c < km->k; ++c)
        memcpy(&km->centroids[c * km->dim], &km->points[c * (km->n / km->k) * km->dim], km->dim * sizeof(double));
    for (size_t i = 0; i < km->n; ++i)
        km->labels[i] = -1;
}

int main(int argc, char *argv[]) {
    kmeans_t km = {0};
    int iterations = argc > 2 ? atoi(argv[2]) : 60, done = 0;
    unsigned state = 12345u;

    km.n = argc > 1 ? (size_t)atoi(argv[1]) : 100000;
    km.dim = 5;
    km.k = 12;
    km.points = malloc(km.n * km.dim * sizeof *km.points);
    km.centroids = malloc(km.k * km.dim * sizeof *km.centroids);
    km.labels = malloc(km.n * sizeof *km.labels);
    km.counts = malloc(km.k * sizeof *km.counts);
    for (size_t i = 0; i < km.n * km.dim; ++i) {
        state = state * 1664525u + 1013904223u;
        km.points[i] = (state >> 8) / 16777216.0 + (double)(i / km.dim % 12) / 7.0;
    }

    struct timespec start, stop;
    clock_gettime(CLOCK_MONOTONIC, &start);
    seed_centroids(&km);
    while (done < iterations && assign_labels(&km) > 0) {
        update_centroids(&km);
        ++done;
    }
    clock_gettime(CLOCK_MONOTONIC, &stop);

    double check = 0.0;
    for (size_t c = 0; c < km.k * km.dim; ++c)
        check += km.centroids[c] * (double)(c + 1);
    printf("%d iterations, %.8f\n", done, check);
    fprintf(stderr, "%.6f\n", (double)(stop.tv_sec - start.tv_sec) + 1e-9 * (double)(stop.tv_nsec - start.tv_nsec));
    free(km.points);
    free(km.centroids);
    free(km.labels);
    free(km.counts);
    return 0;
}
