/* Values combined into elements that iterations share, by every operator and type; all results are exact. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 1200
#define BINS 37
#define WEIGHT(x) ((x) * 3 % 11)

static unsigned char pixels[MOST];
static int keys[MOST], value[MOST], wide[MOST];
static double real[MOST];
static int count[256], many[9000], low[BINS], bits[BINS], mask[BINS], odd[BINS];
static unsigned int product[BINS];
static long total[BINS], table[BINS][5];
static unsigned long long big[BINS];
static double sum[BINS], high[BINS], near[BINS], grid[40][30], column[30], one[3];
static float single[BINS];

static int combine(int n)
{
    int changed = 0;
    for (int i = 0; i < n; i++)
        count[pixels[i]]++;
    for (int i = 0; i < n; i++)
        many[wide[i]] += value[i] > 20 ? 2 : 1;
    for (int i = 0; i < n; i++)
        if (value[i] < low[keys[i]])
            low[keys[i]] = value[i];
    for (int i = 0; i < n; i++)
        high[keys[i]] = high[keys[i]] > real[i] ? high[keys[i]] : real[i];
    for (int i = 0; i < n; i++)
        near[keys[i]] = fmin(real[i], near[keys[i]]);
    for (int i = 0; i < n; i++) {
        bits[keys[i]] |= value[i];
        mask[keys[i]] = mask[keys[i]] & (value[i] | 3);
        odd[i % BINS] ^= value[i];
    }
    for (int i = 0; i < n; i++)
        product[keys[i]] *= 2 * value[i] + 1;
    for (int i = 0; i < n; i++) {
        total[keys[i]] -= value[i] * 5L;
        if (value[i] % 3 == 0) {
            sum[keys[i]] += real[i];
            changed++;
        }
        single[keys[i]] = single[keys[i]] - real[i];
        big[keys[i]] = WEIGHT(value[i]) + big[keys[i]];
    }
    for (int i = 0; i < n; i++)
        --table[keys[i]][value[i] % 5];
    for (int i = 0; i < n; i++)
        one[1] += real[i];
    return changed;
}

static void columns(int n, int m)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            column[j] += grid[i][j];
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 100;
    for (int i = 0; i < MOST; i++) {
        pixels[i] = i * 7919 % 251;
        keys[i] = i * i % 101 % BINS;
        value[i] = (i * 31 + 7) % 57;
        wide[i] = i * 7 % 9000;
        real[i] = value[i] * 0.25 - 3;
    }
    for (int k = 0; k < BINS; k++) {
        low[k] = 40;
        mask[k] = -1;
        product[k] = 1;
        high[k] = k % 2 ? 5 : -100;
        near[k] = 2;
        sum[k] = 0.5;
    }
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 30; j++)
            grid[i][j] = (i * 3 + j) % 17;
    printf("%d\n", combine(n));
    columns(n % 41, n % 31);
    for (int k = 0; k < 256; k++)
        printf("%d ", count[k]);
    for (int k = 0; k < 9000; k++)
        if (many[k])
            printf("%d:%d ", k, many[k]);
    for (int k = 0; k < BINS; k++) {
        printf("%d %d %d %d %u ", low[k], bits[k], mask[k], odd[k], product[k]);
        printf("%ld %llu %.17g %.17g %.17g %.9g\n", total[k], big[k], sum[k], high[k], near[k], single[k]);
        printf("%ld %ld %ld %ld %ld\n", table[k][0], table[k][1], table[k][2], table[k][3], table[k][4]);
    }
    for (int j = 0; j < 30; j++)
        printf("%.17g ", column[j]);
    printf("%.17g\n", one[1]);
    return 0;
}
