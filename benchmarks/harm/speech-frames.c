/* Linear prediction of speech: a window, an autocorrelation and a recursion per frame, all on small buffers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ORDER 10
#define FRAME 160

typedef short sample;

struct coder {
    double window[FRAME];
    double reflection[ORDER];
    double energy;
};

static void coder_init(struct coder *c)
{
    memset(c, 0, sizeof *c);
    for (int i = 0; i < FRAME; i++)
        c->window[i] = 0.54 - 0.46 * cos(6.283185307179586 * i / (FRAME - 1));
}

static void autocorrelate(const double *x, double *r)
{
    for (int lag = 0; lag <= ORDER; lag++) {
        double sum = 0;
        for (int i = lag; i < FRAME; i++)
            sum += x[i] * x[i - lag];
        r[lag] = sum;
    }
}

static double levinson(const double *r, double *a, double *k)
{
    double error = r[0] + 1e-3;
    for (int m = 0; m < ORDER; m++) {
        double acc = r[m + 1], other[ORDER];
        for (int j = 0; j < m; j++)
            acc -= a[j] * r[m - j];
        k[m] = acc / error;
        memcpy(other, a, sizeof other);
        for (int j = 0; j < m; j++)
            a[j] = other[j] - k[m] * other[m - 1 - j];
        a[m] = k[m];
        error *= 1 - k[m] * k[m];
    }
    return error;
}

static void code_frame(struct coder *c, const sample *s)
{
    double x[FRAME], r[ORDER + 1], a[ORDER] = {0};
    for (int i = 0; i < FRAME; i++)
        x[i] = s[i] * c->window[i];
    autocorrelate(x, r);
    c->energy = levinson(r, a, c->reflection);
}

static void speak(sample *s, size_t n)
{
    unsigned noise = 9;
    double y1 = 0, y2 = 0;
    for (size_t i = 0; i < n; i++) {
        noise = noise * 1664525u + 1013904223u;
        double y = 1.6 * y1 - 0.81 * y2 + (i % 80 == 0 ? 900 : 0) + (double)(noise >> 26);
        s[i] = (sample)y;
        y2 = y1;
        y1 = y;
    }
}

int main(int argc, char **argv)
{
    size_t frames = argc > 1 ? (size_t)atoi(argv[1]) : 1500, count = frames * FRAME;
    int passes = argc > 2 ? atoi(argv[2]) : 35;
    sample *speech = malloc(count * sizeof *speech);
    struct coder c;
    double sum = 0;
    struct timespec t0, t1;

    speak(speech, count);
    coder_init(&c);
    clock_gettime(CLOCK_MONOTONIC, &t0);
    for (int p = 0; p < passes; p++)
        for (size_t f = 0; f < frames; f++) {
            code_frame(&c, speech + f * FRAME);
            for (int k = 0; k < ORDER; k++)
                sum += fabs(c.reflection[k]);
            sum += log(c.energy);
        }
    clock_gettime(CLOCK_MONOTONIC, &t1);
    printf("%.8e\n", sum);
    fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
    free(speech);
    return 0;
}
