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

int main(void)
{
    long apart = 0, wrong = 0, missed = 0;
    for (int t = 0; t < TRIES; t++) {
        char *a[ROWS], *b[ROWS];
        int range = 20 + rand() % 2000, in_order = fill(a, range), both = fill(b, range) && in_order;
        struct part p = any(4), q = any(8);
        int two = rand() % 2, found, right;
        if (rand() % 2) {
            found = cuvier_rows_apart(a, p.first, p.last, p.low, p.high, p.bytes, two ? b : NULL, q.first, q.last, q.low,
                                      q.high, q.bytes);
        } else { /* two rows in each of some tables in a table */
            char **first[ROWS / 2], **second[ROWS / 2];
            for (int k = 0; k < ROWS / 2; k++)
                first[k] = a + 2 * k, second[k] = b + 2 * k;
            p.first = p.first / 2 * 2, q.first = q.first / 2 * 2;
            p.last = p.last < p.first ? p.first - 1 : p.last / 2 * 2 + 1;
            q.last = q.last < q.first ? q.first - 1 : q.last / 2 * 2 + 1;
            found = cuvier_planes_apart(first, p.first / 2, (p.last + 1) / 2 - 1, 0, 1, p.low, p.high, p.bytes,
                                        two ? second : NULL, q.first / 2, (q.last + 1) / 2 - 1, 0, 1, q.low, q.high,
                                        q.bytes);
        }
        right = is_nothing(p) || (two && is_nothing(q)) || (two ? in_pairs(a, p, b, q) : in_pairs(a, p, a, p));
        apart += found;
        wrong += found && !right;
        missed += right && !found && (IS_SORTED || (two ? both : in_order));
    }
    printf("%ld %ld %ld\n", apart, wrong, missed);
    return 0;
}
