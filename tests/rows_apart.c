/* Random tables, tested by the function that annotations call and pair by pair. */
#include <stdio.h>
#include <stdlib.h>

#include "order.c"
#ifdef SORTING
#include "sorting.c"
#else
#include "plain.c"
#endif
#include "rows.c"
#include "apart.c"
#include "planes.c"

enum { ROWS = 8, TRIES = 60000 };
#ifdef SORTING
#define IS_SORTED 1
#else
#define IS_SORTED 0
#endif

static char pool[4000];

static int upwards(const void *one, const void *other)
{
    const char *a = *(char *const *)one, *b = *(char *const *)other;
    return (a > b) - (a < b);
}

static int downwards(const void *one, const void *other)
{
    return upwards(other, one);
}

/* Returns whether the rows are in order. */
static int fill(char **table, int range)
{
    for (int i = 0; i < ROWS; i++)
        table[i] = pool + 500 + rand() % range;
    switch (rand() % 3) {
    case 0:
        qsort(table, ROWS, sizeof *table, upwards);
        return 1;
    case 1:
        qsort(table, ROWS, sizeof *table, downwards);
        return 1;
    }
    return 0;
}

struct part {
    long first, last, low, high, bytes;
};

static struct part any(long bytes)
{
    struct part p = { rand() % 4, 0, rand() % 5 - 2, 0, bytes };
    p.last = p.first + rand() % 5 - 1;
    p.high = p.low + rand() % 6 - 1;
    return p;
}

static int in_pairs(char **a, struct part p, char **b, struct part q)
{
    for (long i = p.first; i <= p.last; i++)
        for (long j = q.first; j <= q.last; j++)
            if ((a != b || i != j) && a[i] + p.low * p.bytes < b[j] + (q.high + 1) * q.bytes
                && b[j] + q.low * q.bytes < a[i] + (p.high + 1) * p.bytes)
                return 0;
    return 1;
}

static int is_nothing(struct part p)
{
    return p.first > p.last || p.low > p.high;
}

/* The rows of a table of tables, two in each of these. */
static struct part in_twos(struct part p)
{
    p.first = p.first / 2 * 2;
    p.last = p.last < p.first ? p.first - 1 : p.last / 2 * 2 + 1;
    return p;
}

static void split(char **rows, char ***planes)
{
    for (int k = 0; k < ROWS / 2; k++)
        planes[k] = rows + 2 * k;
}

static int in_planes(char **a, struct part p, char **b, struct part q)
{
    char **first[ROWS / 2], **second[ROWS / 2];
    split(a, first);
    split(b ? b : a, second);
    return cuvier_planes_apart(first, p.first / 2, (p.last + 1) / 2 - 1, 0, 1, p.low, p.high, p.bytes, b ? second : NULL,
                               q.first / 2, (q.last + 1) / 2 - 1, 0, 1, q.low, q.high, q.bytes);
}

static int beside_planes(char **a, struct part p, void *other, struct part q, long bytes)
{
    char **first[ROWS / 2];
    split(a, first);
    return cuvier_planes_apart(first, p.first / 2, (p.last + 1) / 2 - 1, 0, 1, p.low, p.high, p.bytes, other, 0, 0,
                               q.first, q.last, q.low, q.high, bytes);
}

int main(void)
{
    long apart = 0, wrong = 0, missed = 0;
    for (int t = 0; t < TRIES; t++) {
        char *a[ROWS], *b[ROWS];
        int range = 20 + rand() % 2000, in_order = fill(a, range), both = fill(b, range) && in_order;
        struct part p = any(4), q = any(8);
        int two = rand() % 2, found, right;
        void *second = two ? b : NULL;
        long bytes = q.bytes;
        if (two && rand() % 3 == 0) { /* memory that no table leads to */
            second = b[0], bytes = 0, both = in_order;
            q.first = q.last = 0, q.bytes = 1;
        }
        if (rand() % 2) {
            found = cuvier_rows_apart(a, p.first, p.last, p.low, p.high, p.bytes, second, q.first, q.last, q.low, q.high,
                                      bytes);
        } else if (bytes == 0 || rand() % 2) {
            p = in_twos(p);
            found = beside_planes(a, p, second, q, -bytes);
        } else {
            p = in_twos(p), q = in_twos(q);
            found = in_planes(a, p, two ? b : NULL, q);
        }
        right = is_nothing(p) || (two && is_nothing(q)) || (two ? in_pairs(a, p, b, q) : in_pairs(a, p, a, p));
        apart += found;
        wrong += found && !right;
        missed += right && !found && (IS_SORTED || (two ? both : in_order));
    }
    printf("%ld %ld %ld\n", apart, wrong, missed);
    return 0;
}
