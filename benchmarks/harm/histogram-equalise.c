/* Contrast of a series of 8 bit frames, by the cumulative histogram; then a gamma table. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LEVELS = 256 };

typedef struct Frame_ {
    uint32_t  width;
    uint32_t  height;
    uint8_t  *data;
} Frame;

static uint8_t gGamma[LEVELS];

static void BuildGamma(double exponent)
{
    for (int i = 0; i < LEVELS; i++)
        gGamma[i] = (uint8_t)(255.0 * pow(i / 255.0, exponent) + 0.5);
}

static void CountLevels(const Frame *frame, uint32_t counts[LEVELS])
{
    for (int i = 0; i < LEVELS; i++)
        counts[i] = 0;
    for (uint32_t y = 0; y < frame->height; y++)
    {
        const uint8_t *row = frame->data + (size_t)y * frame->width;
        for (uint32_t x = 0; x < frame->width; x++)
            counts[row[x]]++;
    }
}

static void BuildLookup(const uint32_t counts[LEVELS], uint32_t total, uint8_t lookup[LEVELS])
{
    uint32_t sum = 0;
    for (int i = 0; i < LEVELS; i++)
    {
        sum += counts[i];
        lookup[i] = (uint8_t)((uint64_t)sum * 255u / total);
    }
}

static void Apply(Frame *frame, const uint8_t lookup[LEVELS])
{
    for (uint32_t y = 0; y < frame->height; y++)
    {
        uint8_t *row = frame->data + (size_t)y * frame->width;
        for (uint32_t x = 0; x < frame->width; x++)
            row[x] = gGamma[lookup[row[x]]];
    }
}

static void Render(Frame *frame, uint32_t time)
{
    for (uint32_t y = 0; y < frame->height; y++)
        for (uint32_t x = 0; x < frame->width; x++)
            frame->data[y * frame->width + x] = (uint8_t)((x * (time + 3) + y * 7 + ((x ^ y) & 63u)) >> 2);
}

int main(int argc, char **argv)
{
    Frame frame;
    uint32_t counts[LEVELS], frames = argc > 2 ? (uint32_t)atoi(argv[2]) : 240u;
    uint8_t lookup[LEVELS];
    uint64_t checksum = 0;
    struct timespec t0, t1;

    frame.height = argc > 1 ? (uint32_t)atoi(argv[1]) : 600u;
    frame.width = frame.height * 4u / 3u;
    frame.data = malloc((size_t)frame.width * frame.height);
    if (frame.data == NULL)
        return EXIT_FAILURE;
    BuildGamma(0.8);
    clock_gettime(CLOCK_MONOTONIC, &t0);
    for (uint32_t t = 0; t < frames; t++)
    {
        Render(&frame, t);
        CountLevels(&frame, counts);
        BuildLookup(counts, frame.width * frame.height, lookup);
        Apply(&frame, lookup);
        for (uint32_t i = 0; i < frame.width * frame.height; i += 97)
            checksum = checksum * 31u + frame.data[i];
    }
    clock_gettime(CLOCK_MONOTONIC, &t1);
    printf("%08x\n", (unsigned)(checksum ^ (checksum >> 32)));
    fprintf(stderr, "%.6f\n", (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec));
    free(frame.data);
    return EXIT_SUCCESS;
}
