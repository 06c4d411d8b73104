/* An image under a mask of 5 by 5. */
#include <stdio.h>
#ifndef H
#define H 45
#endif
#ifndef W
#define W 52
#endif
#define R 2

static float image[H][W], mask[2 * R + 1][2 * R + 1], out[H][W];

int main(void)
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            image[y][x] = (y * 5 + x * 3) % 23;
    for (int v = 0; v <= 2 * R; v++)
        for (int u = 0; u <= 2 * R; u++)
            mask[v][u] = 1.0f / (1 + (v - R) * (v - R) + (u - R) * (u - R));
    for (int y = R; y < H - R; y++)
        for (int x = R; x < W - R; x++) {
            float sum = 0;
            for (int v = -R; v <= R; v++)
                for (int u = -R; u <= R; u++)
                    sum += image[y + v][x + u] * mask[v + R][u + R];
            out[y][x] = sum;
        }
    for (int y = 0; y < H; y += 4)
        printf("%.9g %.9g\n", out[y][y], out[y][W / 2]);
    return 0;
}
