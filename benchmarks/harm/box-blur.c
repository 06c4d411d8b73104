// A box blur whose radius is a parameter, always the same.
#include <stdio.h>
#include <stdlib.h>
static void blur(const float *in, float *out, int w, int h, int radius) {
    for (int y = radius; y < h - radius; y++)
        for (int x = radius; x < w - radius; x++) {
            float s = 0;
            for (int dy = -radius; dy <= radius; dy++)
                for (int dx = -radius; dx <= radius; dx++) s += in[(y + dy) * w + x + dx];
            out[y * w + x] = s / ((2 * radius + 1) * (2 * radius + 1));
        }
}
int main(int argc, char **argv) {
    int w = argc > 1 ? atoi(argv[1]) : 3000, h = w;
    float *a = malloc(sizeof *a * w * h), *b = calloc(w * h, sizeof *b);
    for (int i = 0; i < w * h; i++) a[i] = i % 17;
    for (int t = 0; t < 6; t++) { blur(a, b, w, h, 2); a[t] = b[5 * w + 5]; }
    double s = 0; for (int i = 0; i < w * h; i++) s += b[i];
    printf("%f\n", s);
}
