/* Cells that data chooses: numbers that are distinct, in order or not, and numbers that are not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 3000

struct item { short at, length; float weight; };
struct chunked { size_t n; size_t *from; unsigned *length; unsigned char *bytes; };

static double cells[8 * MOST], other[MOST];
static int at[MOST], rows[MOST];
static unsigned wide[MOST];
static struct item items[MOST];

static void moved(int n, const int *to, const double *from, double *x)
{
    for (int i = 0; i < n; i++)
        x[to[i]] = from[i] + 1;
}

static void relaxed(int n, const int *order, double *x)
{
    for (int k = 0; k < n; k++) {
        int i = order[k];
        x[i] = 0.5 * x[i] + k;
    }
}

static void points(int n, const unsigned *which, double *x)
{
    for (int i = 0; i < n; i++) {
        double *p = x + 3 * which[i];
        p[0] = p[1] + i;
        p[1] = p[2] * 0.5;
        p[2] = p[0] - p[1];
    }
}

static void lines(int n, int width, const int *which, double (*x)[8], const double *from)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < width; k++)
            x[which[i]][k] = from[i] * k;
}

static void strips(int n, int width, int pitch, const int *which, double *x, const double *from)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < width; k++)
            x[which[i] * pitch + k] = from[i] - k;
}

static void weighed(int n, struct item *item, double *x)
{
    for (int i = 0; i < n; i++)
        x[item[i].at] = x[item[i].at] * item[i].weight + 1;
}

static void parts(int n, const struct item *item, double *x)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < item[i].length; k++)
            x[item[i].at + k] = x[item[i].at + k] * 0.5 + i;
}

static void coded(struct chunked *c)
{
    for (size_t i = 0; i < c->n; i++)
        for (unsigned k = 0; k < c->length[i]; k++)
            c->bytes[c->from[i] + k] = (unsigned char)(c->bytes[c->from[i] + k] * 3 + i);
}

static void backwards(int n, const int *to, double *x)
{
    for (int i = n - 1; i >= 0; i--)
        x[to[i]] = i - x[to[i]];
}

static void shown(const char *name)
{
    double sum = 0;
    for (int i = 0; i < 8 * MOST; i++)
        sum = sum * 0.999 + cells[i];
    printf("%s %.17g\n", name, sum);
}

static void shuffled(int *x, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = rand() % (i + 1), t = x[i];
        x[i] = x[j], x[j] = t;
    }
}

/* How the numbers are: in order, falling, shuffled, with one of them twice, all the same, far apart, negative. */
static void filled(int how, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = how == 1 ? n - 1 - i : how == 4 ? 5 : i;
    if (how >= 2 && how != 4)
        shuffled(at, n);
    if (how == 3 && n > 1)
        at[n - 1] = at[n / 3];
    for (int i = 0; i < n; i++) {
        rows[i] = at[i];
        wide[i] = (unsigned)at[i];
        items[i].at = (short)at[i];
        items[i].length = (short)(how == 0 ? 1 : i % 4 == 0);
        items[i].weight = (float)i / 7;
    }
}

static void chunks(int how, int n)
{
    static size_t from[MOST];
    static unsigned length[MOST];
    static unsigned char bytes[4 * MOST + 8];
    struct chunked c = { (size_t)n, from, length, bytes };
    size_t end = 0;
    unsigned sum = 0;
    for (int i = 0; i < n; i++) {
        length[i] = (unsigned)(rand() % 4);
        from[i] = length[i] == 0 && how % 2 ? (size_t)-1 : end; /* nothing is there */
        end += length[i] + (how > 2 ? (unsigned)rand() % 2 : 0);
    }
    if (how == 5 && n > 4)
        from[n / 2] = 1, length[n / 2] = 3;
    if (how == 6)
        c.n = 0;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    coded(&c);
    for (size_t i = 0; i < sizeof bytes; i++)
        sum = sum * 31 + bytes[i];
    printf("coded %u\n", sum);
}

int main(void)
{
    static const int sizes[] = { 0, 1, 2, 7, 400, MOST };
    for (int s = 0; s < 6; s++)
        for (int how = 0; how < 7; how++) {
            int n = sizes[s];
            for (int i = 0; i < 8 * MOST; i++)
                cells[i] = i % 13;
            for (int i = 0; i < MOST; i++)
                other[i] = i % 5;
            filled(how, n);
            moved(n, at, other, cells);
            shown("moved");
            moved(n / 2, at, cells + n / 3, cells); /* overlaps */
            shown("moved onto itself");
            relaxed(n, at, cells);
            shown("relaxed");
            points(n, wide, cells);
            shown("points");
            lines(n, n % 9, at, (double(*)[8])cells, other);
            shown("lines");
            strips(n, how, 7, at, cells, other);
            strips(n, 7, how, at, cells, other); /* rows that overlap */
            shown("strips");
            weighed(n, items, cells);
            shown("weighed");
            parts(n, items, cells);
            shown("parts");
            backwards(n, rows, cells);
            shown("backwards");
            chunks(how, n);
        }
    return 0;
}
