/* Where the least and the greatest values are, of equal ones the first or the last; several results at once. */
#include <stdio.h>
#include <stdlib.h>

#define MOST 1200

static int a[MOST], flag[MOST];
static double d[40][30];
static float f[MOST];

static void first(int n)
{
    int best = 3, where = -7;
    for (int i = 0; i < n; i++)
        if (a[i] > best) {
            best = a[i];
            where = i;
        }
    printf("first %d %d\n", best, where);
}

static void last(int n, int m)
{
    double best = 1e9;
    int row = -1, column = -2;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (d[i][j] <= best) {
                row = i;
                best = d[i][j];
                column = j;
            }
    printf("last %g %d %d\n", best, row, column);
}

static void both(int n)
{
    int low = 99, at_low = -1, at_high = -2, count = 0;
    float high = -1e9f, sum = 2;
    for (int i = n - 1; i >= 0; i--) {
        if (low > a[i]) {
            at_low = i;
            low = a[i];
        }
        if (high <= f[i]) {
            high = f[i];
            at_high = flag[i];
        }
        sum += f[i];
        count += a[i] > 20;
    }
    printf("both %d %d %g %d %g %d\n", low, at_low, high, at_high, sum, count);
}

static void rows(int n, int m)
{
    double least = 1e9;
    int row = -1;
    for (int i = 0; i < n; i++)
        for (int j = m - 1; j >= 0; j -= 2)
            if (flag[i] && d[i][j] < least) {
                least = d[i][j];
                row = i;
            }
    printf("rows %g %d\n", least, row);
}

static void unset(int n)
{
    int best = 1000, where = 5;
    for (int i = 0; i < n; i++)
        if (a[i] >= best) {
            best = a[i];
            where = i;
        }
    printf("unset %d %d\n", best, where);
}

static void several(int n)
{
    int sum = 0, most = -5, bits = 0;
    long product = 1;
    double total = 0.5, low = 1e9;
    unsigned char small = 255;
    for (int i = 0; i < n; i++) {
        sum += a[i];
        most = a[i] > most ? a[i] : most;
        bits ^= a[i] << (i % 7);
        product *= a[i] % 2 + 1;
        total += f[i];
        low = f[i] < low ? f[i] : low;
    }
    for (int i = 0; i < n; i++)
        small &= (unsigned char)(a[i] | 192);
    printf("several %d %d %d %ld %g %g %d\n", sum, most, bits, product, total, low, small);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 100;
    for (int i = 0; i < MOST; i++) {
        a[i] = i * 37 % 41;
        f[i] = i * 31 % 29 * 0.25f;
        flag[i] = i % 3;
    }
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 30; j++)
            d[i][j] = (i * 13 + j * 7) % 19;
    first(n);
    last(n % 41, n % 31);
    both(n);
    rows(n % 41, n % 31);
    unset(n);
    several(n % 60);
    return 0;
}
