/* Names and types that the device languages use otherwise, structures, enumerations, 64-bit integers. */
#include <stdint.h>
#include <stdio.h>
#include <stddef.h>

enum { ROWS = 12, WIDTH = 20 };
struct point { double x; float y; int tag; };
typedef struct { unsigned char red, green; } colour;
typedef unsigned long long wide;

static double new[ROWS][WIDTH], grid[200];
static struct point points[100];
static colour colours[100];
static uint32_t hash[100];
static wide big[100];
static size_t sizes[100];

#define KIND(p) ((p).tag % 3)
#define NEXT(k) (grid[(k) + 1])

static int max(int a, int b)
{
    return a > b ? a : b;
}

int main(void)
{
    int kernel, local, half = 3;
    double class = 1.5;
    for (kernel = 0; kernel < ROWS; kernel++)
        for (local = 0; local < WIDTH; local++)
            new[kernel][local] = kernel * class + local * half;
    for (int block = 0; block < 200; block++)
        grid[block] = block * 0.5;
    for (int i = 0; i < 100; i++) {
        points[i].x = NEXT(i) * class;
        points[i].y = i * 0.25f;
        points[i].tag = max(i - 50, 50 - i);
    }
    for (int i = 0; i < 100; i++) {
        colours[i].red = KIND(points[i]) * 40;
        colours[i].green = (unsigned char)(i * 5);
    }
    for (int i = 0; i < 100; i++) {
        uint32_t mixed = (uint32_t)i * 2654435761u;
        hash[i] = mixed ^ (mixed >> 15);
        big[i] = (unsigned long long)mixed * 1000003ULL;
        sizes[i] = sizeof(double) * (size_t)i;
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < WIDTH; j++)
            printf("%g\n", new[i][j]);
    for (int i = 0; i < 100; i++)
        printf("%g %g %d %d %d %u %llu %zu\n", points[i].x, points[i].y, points[i].tag, colours[i].red,
               colours[i].green, hash[i], big[i], sizes[i]);
    return 0;
}
