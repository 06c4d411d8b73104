/* Every operator, several types; all results are exact whatever the order. */
#include <stdio.h>

static int x[777];
static double d[777];
static float m[20][30];

int main(void)
{
    int i, j, sum = 5, low = 1000000, high = -5, bits = 0, mask = -1, odd = 9, all = 1, any = 0;
    unsigned int usum = 3;
    long product = 3, total = 0;
    double dsum = 0.5, dlow = 1e9, dhigh = -1e9;
    float fsum = 0;
    for (i = 0; i < 777; i++) {
        x[i] = (i * 7919 + 13) % 1009;
        d[i] = (i * 31 % 257) * 0.25;
    }
    for (i = 0; i < 20; i++)
        for (j = 0; j < 30; j++)
            m[i][j] = i + j * 0.5f;
    for (i = 0; i < 777; i++)
        sum += x[i];
    for (i = 0; i < 777; i++)
        usum += x[i] * 3u;
    for (i = 0; i < 20; i++)
        product *= x[i] % 3 + 1;
    for (i = 0; i < 777; i++)
        total += (long)x[i] * x[i];
    for (i = 0; i < 777; i++)
        if (x[i] < low)
            low = x[i];
    for (i = 0; i < 777; i++)
        high = x[i] > high ? x[i] : high;
    for (i = 0; i < 777; i++)
        bits |= x[i];
    for (i = 0; i < 777; i++)
        mask &= x[i] | 512;
    for (i = 0; i < 777; i++)
        odd ^= x[i];
    for (i = 0; i < 777; i++)
        all = all && x[i] < 1009;
    for (i = 0; i < 777; i++)
        any = any || x[i] == 500;
    for (i = 0; i < 777; i++)
        dsum += d[i];
    for (i = 0; i < 777; i++) {
        if (d[i] < dlow)
            dlow = d[i];
        if (d[i] > dhigh)
            dhigh = d[i];
    }
    for (i = 0; i < 20; i++)
        for (j = 0; j < 30; j++)
            fsum += m[i][j];
    printf("%d %u %ld %ld %d %d\n", sum, usum, product, total, low, high);
    printf("%d %d %d %d %d\n", bits, mask, odd, all, any);
    printf("%.17g %.17g %.17g %.9g\n", dsum, dlow, dhigh, fsum);
    return 0;
}
