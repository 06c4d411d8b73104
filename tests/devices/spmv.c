/* A sparse matrix in rows, times a vector, again and again. */
#include <stdio.h>
#ifndef N
#define N 80
#endif
#ifndef MOST
#define MOST 400
#endif

static int start[N + 1], column[MOST];
static double value[MOST], x[N], y[N];

int main(void)
{
    int count = 0;
    for (int i = 0; i < N; i++) {
        start[i] = count;
        for (int k = 0; k < 2 + i % 4; k++) {
            column[count] = (i * 7 + k * 13) % N;
            value[count] = 0.1 + (i + k) % 3;
            count++;
        }
    }
    start[N] = count;
    for (int i = 0; i < N; i++)
        x[i] = 1 + i % 5;
    for (int t = 0; t < 6; t++) {
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int k = start[i]; k < start[i + 1]; k++)
                sum += value[k] * x[column[k]];
            y[i] = sum;
        }
        for (int i = 0; i < N; i++)
            x[i] = 0.1 * y[i] + 1;
    }
    for (int i = 0; i < N; i += 5)
        printf("%.12g\n", x[i]);
    return 0;
}
