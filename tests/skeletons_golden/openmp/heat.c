/* One step of heat flow, and how far it is from the last one. */
#include <math.h>

#define N 512

static double now[N][N], next[N][N];

double step(int n, double rate)
{
    double change = 0, last = 0;
    int i, j;
    #pragma omp parallel for private(i, j) if((double)(n - 2) * (n - 2) > 10000)
    for (i = 1; i < n - 1; i++) {
        for (j = 1; j < n - 1; j++) {
            /* the four neighbours */
            next[i][j] = now[i][j] + rate * (now[i-1][j] + now[i+1][j] + now[i][j-1] + now[i][j+1] - 4 * now[i][j]);
        }
    }
    #pragma omp parallel for private(i, j) reduction(+:change) if((double)n * n > 50000)
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            change += fabs(next[i][j] - now[i][j]);
    for (i = n - 1; i >= 0; i -= 2) {
        last = next[i][i];
        now[i][0] = last; // the border
    }
    return change / (i + 2) + last;
}
