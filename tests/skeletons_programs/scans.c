/* Prefix sums and the like, inclusive and exclusive, in place too, and packing; all results are exact. */
#include <stdio.h>
#include <stdlib.h>

#define MOST 3000

static int a[MOST], b[MOST], c[MOST], place[MOST];
static double x[MOST], y[MOST], z[MOST];
static unsigned char small[MOST];

static int sums(int n)
{
    int s = 3;
    for (int i = 0; i < n; i++) {
        s += a[i];
        b[i] = s;
    }
    return s;
}

static double before(int n, double weight)
{
    double s = 0.5;
    int i;
    for (i = n - 1; i >= 0; i -= 1) {
        y[i] = s;
        z[i] = s * 2 + i;
        s = x[i] * weight + s;
    }
    return s + i;
}

static int greatest(int n)
{
    int most = 20;
    for (int i = 1; i < n; i += 2) {
        if (a[i] > most)
            most = a[i];
        c[i] = most;
    }
    return most;
}

static int in_place(int n)
{
    int all = -1;
    for (int i = 0; i < n; i++) {
        all &= a[i] | 0x70;
        place[i] += all;
    }
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += b[i];
        b[i] = s;
    }
    return s;
}

static unsigned char narrow(int n)
{
    unsigned char s = 9;
    for (int i = 0; i < n; i++) {
        small[i] = s;
        if (a[i] % 2)
            s++;
    }
    return s;
}

static int pack(int n, int limit)
{
    int k = 2;
    for (int i = 0; i < n; i++)
        if (a[i] > limit && i % 5 != 1)
            c[k++] = a[i];
    return k;
}

static long indices(int n)
{
    long k = 0;
    for (int i = 0; i < n; i++)
        if (x[i] < 4) {
            place[k] = i;
            k += 1;
            y[i] = 2;
        }
    return k;
}

static void show(const char *name, const int *p)
{
    printf("%s", name);
    for (int i = 0; i < MOST; i++)
        printf(" %d", p[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 100;
    for (int i = 0; i < MOST; i++) {
        a[i] = i * 37 % 41;
        x[i] = i * 31 % 29 * 0.25;
    }
    printf("%d\n", sums(n));
    show("sums", b);
    printf("%.17g\n", before(n, 0.5));
    for (int i = 0; i < MOST; i++)
        printf("%.17g %.17g ", y[i], z[i]);
    printf("%d\n", greatest(n));
    show("greatest", c);
    printf("%d\n", in_place(n));
    show("in place", b);
    show("and", place);
    printf("%d\n", narrow(n));
    printf("%d\n", pack(n, 11));
    show("pack", c);
    printf("%ld\n", indices(n));
    show("indices", place);
    for (int i = 0; i < MOST; i++)
        printf("%d %g ", small[i], y[i]);
    printf("\n");
    return 0;
}
