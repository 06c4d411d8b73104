/* The likeliest path through a hidden Markov model: time is serial, the states of a step are few. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct hmm {
    int states, symbols;
    double *start;
    double **transition;
    double **emission;
} hmm;

static double **log_rows(int rows, int cols, int salt) {
    double **m = malloc(rows * sizeof *m);
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        m[r] = malloc(cols * sizeof **m);
        for (int c = 0; c < cols; c++)
            sum += m[r][c] = 1 + (r * 31 + c * 17 + r * c + salt) % 13;
        for (int c = 0; c < cols; c++)
            m[r][c] = log(m[r][c] / sum);
    }
    return m;
}

static hmm model(int states, int symbols) {
    hmm h = {states, symbols, malloc(states * sizeof(double)), log_rows(states, states, 5), log_rows(states, symbols, 2)};
    for (int s = 0; s < states; s++)
        h.start[s] = -log(states) - 0.001 * s;
    return h;
}

static double viterbi(const hmm *h, const int *seen, int length, int *path, double *score, double *fresh, int *from) {
    for (int s = 0; s < h->states; s++)
        score[s] = h->start[s] + h->emission[s][seen[0]];
    for (int t = 1; t < length; t++) {
        for (int s = 0; s < h->states; s++) {
            double best = -DBL_MAX;
            int who = 0;
            for (int p = 0; p < h->states; p++) {
                double x = score[p] + h->transition[p][s];
                if (x > best) {
                    best = x;
                    who = p;
                }
            }
            fresh[s] = best + h->emission[s][seen[t]];
            from[t * h->states + s] = who;
        }
        for (int s = 0; s < h->states; s++)
            score[s] = fresh[s];
    }
    int last = 0;
    for (int s = 1; s < h->states; s++)
        if (score[s] > score[last])
            last = s;
    double likelihood = score[last];
    for (int t = length - 1; t >= 0; t--) {
        path[t] = last;
        last = t ? from[t * h->states + last] : last;
    }
    return likelihood;
}

int main(int argc, char **argv) {
    int length = argc > 1 ? atoi(argv[1]) : 2000, times = argc > 2 ? atoi(argv[2]) : 110;
    hmm h = model(18, 6);
    int *seen = malloc(length * sizeof *seen), *path = malloc(length * sizeof *path);
    int *from = malloc((size_t)length * h.states * sizeof *from);
    double *score = malloc(h.states * sizeof *score), *fresh = malloc(h.states * sizeof *fresh), sum = 0;
    unsigned seed = 77, visits = 0;
    struct timespec t0, t1;

    clock_gettime(CLOCK_MONOTONIC, &t0);
    for (int k = 0; k < times; k++) {
        for (int t = 0; t < length; t++) {
            seed = seed * 1664525u + 1013904223u;
            seen[t] = (int)(seed >> 16) % h.symbols;
        }
        sum += viterbi(&h, seen, length, path, score, fresh, from);
        for (int t = 0; t < length; t++)
            visits += path[t] < h.states / 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &t1);
    printf("%.8e %d\n", sum, visits > 0);
    fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
    return 0;
}
