// A wave in a medium with holes: fields with a pitch behind pointers that are swapped, and a sponge at the edges.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <stdint.h>
#define AT(f, r, c) ((f)->v[(size_t)(r) * (f)->pitch + (c)])
#define SQ(x) ((x) * (x))
typedef struct { size_t rows, cols, pitch; float *v; } field;
typedef struct { field *now, *old; float *speed; size_t steps; } sim;
static field *make(size_t rows, size_t cols) {
    field *f = malloc(sizeof *f);
    f->rows = rows; f->cols = cols; f->pitch = (cols + 15) / 16 * 16;
    f->v = calloc(rows * f->pitch, sizeof *f->v);
    return f;
}
static float lap(const field *f, size_t r, size_t c) {
    return AT(f, r - 1, c) + AT(f, r + 1, c) + AT(f, r, c - 1) + AT(f, r, c + 1) - 4 * AT(f, r, c);
}
static void sponge(field *f, size_t width) {
    for (size_t r = 0; r < f->rows; r++)
        for (size_t c = 0; c < width && c < f->cols; c++) {
            float k = 1.0f - 0.02f * SQ((float)(width - c) / width);
            AT(f, r, c) *= k;
            AT(f, r, f->cols - 1 - c) *= k;
        }
}
static void step(sim *s) {
    field *a = s->now, *b = s->old;
    for (size_t r = 1; r + 1 < a->rows; r++)
        for (size_t c = 1; c + 1 < a->cols; c++) {
            float k = s->speed[r * a->cols + c];
            if (k <= 0) continue;
            AT(b, r, c) = 2 * AT(a, r, c) - AT(b, r, c) + k * lap(a, r, c);
        }
    sponge(b, 20);
    s->now = b; s->old = a;
}
static double energy(const field *f) {
    double e = 0;
    for (size_t r = 0; r < f->rows; r++)
        for (size_t c = 0; c < f->cols; c++) e += (double)SQ(AT(f, r, c));
    return e;
}
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
int main(int argc, char **argv) {
    double start = seconds();
    size_t n = argc > 1 ? (size_t)atoi(argv[1]) : 900;
    sim s = { make(n, n + 37), make(n, n + 37), NULL, 120 };
    s.speed = malloc(n * (n + 37) * sizeof *s.speed);
    for (size_t k = 0; k < n * (n + 37); k++) s.speed[k] = (k / 1000) % 17 == 0 ? 0.0f : 0.2f + (float)(k % 7) * 0.01f;
    AT(s.now, n / 2, n / 2) = 100;
    for (size_t t = 0; t < s.steps; t++) { step(&s); if (t % 40 == 0) printf("%zu %.6e\n", t, energy(s.now)); }
    printf("%.6e\n", energy(s.now));
    fprintf(stderr, "%.3f\n", seconds() - start);
    return 0;
}
