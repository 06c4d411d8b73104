/* C = A B */
#include <stdio.h>
#ifndef N
#define N 50
#endif

static double a[N][N], b[N][N], c[N][N];

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (i * 3 + j) % 11;
            b[i][j] = (i - j) % 7;
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    for (int i = 0; i < N; i++)
        printf("%g %g\n", c[i][i], c[i][N - 1 - i]);
    return 0;
}
